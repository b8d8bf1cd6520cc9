import {type RecordedEvent, sendingsOf} from '../../source/cli/demo/recording.ts';
import {startDemo} from './demo.ts';
import {movingSvgOf, type Frame} from './moving-svg.ts';
import {saveMoving} from './save-picture.ts';
import {pause} from './terminal.ts';

const size = {cols: 104, rows: 28} as const;

const title = 'svc: a short tour of its demo';

/** What a person needs to see where they are, to read a little, and to read. */
const glanceMs = 500;
const lookMs = 1500;
const readMs = 2800;

const settleMs = 350;

/** Presses keys in the demo, keeps what the screen showed, and writes it as a picture that moves. */
export async function drawTour({png}: {readonly png?: string}): Promise<void> {
	const frames: Frame[] = [];
	await using demo = await startDemo(size);
	const {terminal} = demo;
	const send = async (event: RecordedEvent) => demo.send(...sendingsOf(event));
	const keep = async (ms: number) => {
		await pause(settleMs);
		frames.push({screen: terminal.screen(), ms});
	};
	const press = async (...keys: readonly string[]) => {
		for (const key of keys) {
			await terminal.press(key);
			await keep(glanceMs);
		}
	};

	await keep(readMs);
	await press('enter');
	await send({of: 'issue', with: {number: 99, title: 'Uploads stop at 100 MB'}});
	await keep(glanceMs);
	await send({of: 'pull', with: {number: 416, title: 'Cap the pause between retries'}});
	await keep(glanceMs);
	await send({
		of: 'issue',
		with: {number: 100, title: 'Let me in'},
		secret: 'a-guess-that-is-wrong',
	});
	await keep(lookMs);
	await press('enter');
	await terminal.waitFor('signature');
	await keep(readMs);

	await terminal.waitFor('tracker wants create_issue');
	await keep(lookMs);
	await terminal.press('!');
	await terminal.waitFor(/── Approval 1 of 1 ── denies in \d:\d\d ─*\n/);
	await keep(readMs);
	await terminal.press('a');
	await terminal.waitFor('create_issue: allowed');
	await keep(lookMs);

	await press('esc', '7');
	// As long as it is at work it stands on top.
	await terminal.waitFor(/depot#98 .* ✓ /);
	await press('g', 'j', 'j');
	await terminal.waitFor(/gh-follow-up.* ✓ /);
	await press('enter');
	await keep(readMs);

	await press('esc');
	await send({of: 'workflow', times: 3});
	await send({
		of: 'pull',
		with: {number: 412, title: 'Retry uploads that time out', action: 'synchronize'},
		route: 'gh-sync',
	});
	await press('2');
	await keep(lookMs);

	await press('3', 'G', 'k', 'enter');
	await keep(lookMs);

	await press('esc', '4', 'G');
	await terminal.press('l');
	await terminal.waitFor('2 type');
	await keep(readMs);
	await terminal.waitFor('Logged in to crm');
	await keep(lookMs);

	await press('esc', '5', 'g', 'e');
	await terminal.waitFor('back-test');
	await keep(readMs);
	saveMoving(movingSvgOf(frames, title), frames, {
		name: 'tour',
		title,
		...(png !== undefined && {png}),
	});
}
