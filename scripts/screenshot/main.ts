import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {defaultPort} from '../../source/core/loopback.ts';
import {startDemo, type Demo} from './demo.ts';
import {bursts, followUps, morning, sendAll} from './events.ts';
import {drawLogins} from './logins.ts';
import {savePicture} from './save-picture.ts';
import {pause, startInTerminal, type DemoTerminal} from './terminal.ts';

// Makes the pictures of the README and the manual from the real program: a gateway with its screen in a pseudo terminal, signed events over HTTP, keys.
// usage: npm run screenshot -- [--png FOLDER] [--only logins]

const port = defaultPort;
const settleMs = 1500;
const betweenBurstsMs = 6000;
const here = dirname(fileURLToPath(import.meta.url));
const {values} = parseArgs({options: {png: {type: 'string'}, only: {type: 'string'}}});
const keep = values.png === undefined ? {} : {png: values.png};

const views: ReadonlyArray<{
	readonly name: string;
	readonly title: string;
	readonly show: (terminal: DemoTerminal, home: Demo) => Promise<void>;
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
		name: 'approval',
		title:
			'svc: a call that waits for a person, with what the agent wants to write, compared with the last one',
		async show(terminal) {
			const [first, second] = followUps;
			await sendAll(port, [first]);
			await terminal.waitFor('tracker wants create_issue');
			// A tool that is used for the first time is allowed by its name.
			await terminal.press('!');
			await armed(terminal);
			await terminal.press('a');
			await terminal.waitFor("type the tool's name");
			await terminal.press(...Array.from('create_issue'));
			await armed(terminal);
			await terminal.press('enter');
			await terminal.waitFor('create_issue: allowed');
			await sendAll(port, [second]);
			await terminal.waitFor('tracker wants create_issue');
			await terminal.press('!');
			await terminal.waitFor('[diff to last]');
		},
	},
	{
		name: 'tools',
		title: 'svc: tool servers, and what the tools of one of them claim',
		async show(terminal, home) {
			await terminal.press('d');
			await terminal.waitFor('create_issue: denied');
			home.breakServer();
			await terminal.press('esc', '3');
			await terminal.waitFor('parked');
			await terminal.press('G', 'k', 'enter');
			await terminal.waitFor(/create_issue +asks +2 asked, 1 denied/);
			await terminal.press(...Array.from('jjjjjjj'));
			// The word of the last answer has left the last row.
			await terminal.waitFor('? help');
		},
	},
	{
		name: 'groups',
		title: 'svc: events that wait together with their two clocks, and scheduled jobs',
		async show(terminal) {
			await terminal.press('esc');
			for (const burst of bursts) {
				await sendAll(port, burst);
				await pause(betweenBurstsMs);
			}

			// Not before there are groups: without any the jobs have the keyboard.
			await terminal.press('2');

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

/** Waits until keys may allow what is asked. */
const armed = async (terminal: DemoTerminal) =>
	terminal.waitFor(/── Approval 1 of 1 ── denies in \d:\d\d ─+\n/);

async function drawMorning(): Promise<void> {
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
	for (const {name, title, show} of views) {
		await show(terminal, demo);
		await pause(settleMs);
		await savePicture(terminal.screen(), {name, title, ...keep});
	}
}

if (values.only !== 'logins') {
	await drawMorning();
}

await drawLogins(keep);
