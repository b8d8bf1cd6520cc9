import type {FirstRunCard} from '../../tui/commands/first-run.ts';

/** What the demo is, and what to press in it. */
export const demoCard = (begun: Promise<void>): FirstRunCard => ({
	title: 'Demo',
	steps: [
		'recorded traffic comes in through a real port of this machine, signed',
		'the model, the tool servers, the login pages and the code host are made up',
		'nothing leaves this machine; home, processes and ports are gone when you quit',
	],
	underWay: {
		step: 'the last 24 hours are being played, which takes some seconds',
		done: 'the last 24 hours were played just now, in a moment',
		over: begun,
	},
	route: 'gh-review',
	keys: [
		['T', 'sends an event of your own, and shows it'],
		['Enter', 'goes to the traffic, where each row says why it was decided so'],
		['!', 'then opens what waits for you: a call that would write'],
		['4  j  l', 'then logs in to crm with a code, which agrees by itself'],
		['5  e', 'then edits a route, with what it would have done to the last events'],
		['?', 'then shows the keys of where you are; q quits'],
	],
});
