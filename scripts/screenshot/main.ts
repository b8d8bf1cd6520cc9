import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {startDemo} from './demo.ts';
import {bursts, morning, sendAll} from './events.ts';
import {svgOf} from './svg.ts';
import {pause, startInTerminal, type DemoTerminal} from './terminal.ts';

// Makes the pictures of the README from the real program: a gateway with its screen in a pseudo terminal, signed events over HTTP, keys.
// usage: npm run screenshot -- [--png FOLDER]

const port = 8644;
const settleMs = 1500;
const betweenBurstsMs = 6000;
const here = dirname(fileURLToPath(import.meta.url));
const pictures = join(here, 'pictures');
const {values} = parseArgs({options: {png: {type: 'string'}}});

const views: ReadonlyArray<{
	readonly name: string;
	readonly title: string;
	readonly show: (terminal: DemoTerminal) => Promise<void>;
}> = [
	{
		name: 'traffic',
		title: 'svc: the deliveries of a morning, and why one of them started no run',
		async show(terminal) {
			await terminal.press('k', 'enter');
			await terminal.waitFor('pull_request.draft');
		},
	},
	{
		name: 'runs',
		title: 'svc: runs of the agent, and what one of them did',
		async show(terminal) {
			// The second row from below: a review that was posted as a comment.
			await terminal.press('esc', '7', 'G', 'k', 'enter');
			await terminal.waitFor('Answer');
		},
	},
	{
		name: 'groups',
		title: 'svc: events that wait together with their two clocks, and scheduled jobs',
		async show(terminal) {
			await terminal.press('esc', '2');
			for (const burst of bursts) {
				await sendAll(port, burst);
				await pause(betweenBurstsMs);
			}

			// The first job runs now, whatever its time; then back to the groups.
			await terminal.press('tab', 'g', 'x');
			await terminal.waitFor('Run Morning digest now');
			await terminal.press('y');
			await terminal.waitFor(/Morning digest.*✓/);
			terminal.setRows(20);
			await terminal.press('tab', 'g');
			await terminal.waitFor('? help');
		},
	},
];

async function savePng(svg: string, path: string): Promise<void> {
	const {Resvg} = await import('@resvg/resvg-js');
	const picture = new Resvg(svg, {
		fitTo: {mode: 'zoom', value: 1.5},
		font: {loadSystemFonts: true, monospaceFamily: 'DejaVu Sans Mono'},
	});
	mkdirSync(dirname(path), {recursive: true});
	writeFileSync(path, picture.render().asPng());
}

await using demo = await startDemo(port);
await using terminal = startInTerminal(
	[process.execPath, join(here, '..', '..', 'build', 'main.js')],
	demo.env,
);
await terminal.waitFor(`:${port}`);
await sendAll(port, morning);
// One run never ends; the others do.
await terminal.waitFor(/Runs 1\b/);
await pause(settleMs);
mkdirSync(pictures, {recursive: true});
for (const {name, title, show} of views) {
	await show(terminal);
	await pause(settleMs);
	const svg = svgOf(terminal.screen(), title);
	const path = join(pictures, `${name}.svg`);
	writeFileSync(path, svg);
	process.stdout.write(`${path}  ${Math.round(svg.length / 1000)} kB\n`);
	if (values.png !== undefined) {
		await savePng(svg, join(values.png, `${name}.png`));
	}
}
