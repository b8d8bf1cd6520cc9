import {parseArgs} from 'node:util';
import {startDemo} from './demo.ts';
import {savePicture} from './save-picture.ts';
import {pause} from './terminal.ts';
import {drawTour} from './tour.ts';
import {logins, views, type View} from './views.ts';

// Makes the pictures of the README and the manual from the real program: `svc --demo --still` in a pseudo terminal, events over HTTP, keys.
// usage: npm run screenshot -- [--png FOLDER] [--only NAME] [--tour]
// Without --only and --tour everything is made; --tour makes the recorded tour alone.

const settleMs = 1500;
const {values} = parseArgs({
	options: {png: {type: 'string'}, only: {type: 'string'}, tour: {type: 'boolean'}},
});
const {png, only, tour = false} = values;

async function drawViews(
	size: {readonly cols: number; readonly rows: number},
	shown: readonly View[],
): Promise<void> {
	await using demo = await startDemo(size);
	for (const {name, title, show} of shown) {
		// oxlint-disable-next-line no-await-in-loop -- each begins where the last one ended
		await show(demo);
		// oxlint-disable-next-line no-await-in-loop
		await pause(settleMs);
		savePicture(demo.terminal.screen(), {name, title, ...(png !== undefined && {png})});
	}
}

const wide = {cols: 120, rows: 36};
const isWanted = ({name}: View) => only === undefined || name === only;

if (!tour) {
	const last = views.findLastIndex(isWanted);
	if (last !== -1) {
		// Those before it lead to it.
		await drawViews(wide, views.slice(0, last + 1));
	}

	if (isWanted(logins)) {
		await drawViews(wide, [logins]);
		await drawViews({cols: 80, rows: 24}, [{...logins, name: 'logins-80x24'}]);
	}
}

if (tour || only === undefined) {
	await drawTour({...(png !== undefined && {png})});
}
