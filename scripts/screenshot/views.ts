import {sendingsOf} from '../../source/cli/demo/recording.ts';
import type {Demo} from './demo.ts';
import {pause} from './terminal.ts';

/** A picture, and what is done for it on the screen that the last one left. */
export type View = {
	readonly name: string;
	readonly title: string;
	readonly show: (demo: Demo) => Promise<void>;
};

const betweenBurstsMs = 6000;

/** The words that tell what became of a key have gone. */
const toastMs = 4500;

const synchronized = (number: number, title: string, times = 1) =>
	sendingsOf({of: 'pull', with: {number, title, action: 'synchronize'}, route: 'gh-sync', times});

/** Events that come in bursts, with pauses between them. */
const bursts = [
	[
		...sendingsOf({of: 'workflow', times: 3}),
		...sendingsOf({of: 'workflow', with: {branch: 'uploads'}, times: 2}),
		...synchronized(412, 'Retry uploads that time out', 4),
		...synchronized(415, 'Upload in parallel'),
	],
	synchronized(413, 'Explain the retry limits', 2),
	synchronized(412, 'Retry uploads that time out', 2),
];

/** Of the pictures at 120x36, in their order. */
export const views: readonly View[] = [
	{
		name: 'traffic',
		title: 'svc: the deliveries of a day, and why one of them started no run',
		async show({terminal}) {
			await terminal.press('enter', 'k', 'k', 'k', 'k', 'enter');
			await terminal.waitFor('pull_request.draft');
		},
	},
	{
		name: 'runs',
		title: 'svc: runs of the agent, and what one of them did',
		async show({terminal}) {
			await terminal.press('esc', '7', 'g', 'j', 'enter');
			await terminal.waitFor('▾ answer');
		},
	},
	{
		name: 'approval',
		title:
			'svc: a call that waits for a person, with what the agent wants to write, compared with the last one',
		async show({terminal}) {
			await terminal.waitFor('tracker wants create_issue');
			await terminal.press('!');
			await terminal.waitFor('[diff ');
		},
	},
	{
		name: 'tools',
		title: 'svc: tool servers, and what the tools of one of them claim',
		async show({terminal}) {
			await terminal.press('d');
			await terminal.waitFor('create_issue: denied');
			await terminal.press('esc', '3');
			await terminal.waitFor('parked');
			await terminal.press('G', 'k', 'enter');
			await terminal.waitFor(/create_issue +asks/);
			await terminal.press(...Array.from('jjjjjjj'));
			await pause(toastMs);
		},
	},
	{
		name: 'editor',
		title: 'svc: the form of a route, and what it would have done to the last events',
		async show({terminal}) {
			await terminal.press('esc', '5', 'g', 'e');
			await terminal.waitFor('back-test');
		},
	},
	{
		name: 'groups',
		title: 'svc: events that wait together with their two clocks, and scheduled jobs',
		async show({terminal, send}) {
			await terminal.press('esc', 'esc');
			for (const burst of bursts) {
				await send(...burst);
				await pause(betweenBurstsMs);
			}

			// Not before there are groups: without any the jobs have the keyboard.
			await terminal.press('2');

			// The first job runs now, whatever its time; then back to the groups.
			await terminal.press('tab', 'g', 'x');
			await terminal.waitFor('Run Morning digest now');
			await terminal.press('y');
			await terminal.waitFor(/Morning digest.*✓/);
			terminal.setRows(22);
			await terminal.press('tab', 'g');
			await pause(toastMs);
		},
	},
];

/** Pane 4: a server that is logged in, and the code of another one. */
export const logins: View = {
	name: 'logins',
	title: 'svc: a login with a code, where to type it, and the hosts of both sides',
	async show({terminal}) {
		await terminal.press('enter', '4', 'g', 'l');
		await terminal.waitFor('● logged in');
		await terminal.press('esc', 'j', 'l');
		await terminal.waitFor('2 type');
		await pause(toastMs);
	},
};
