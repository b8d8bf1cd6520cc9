import {expect, test} from 'vitest';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {serveControl} from './command.ts';
import {openTerminal} from './terminal.ts';

const body = Array.from({length: 30}, (_, line) => `line ${line}`).join('\n');

/** `svc approvals allow 7` on a terminal of its own. */
async function open({
	mustTypeName = false,
	text = body,
	flags = [],
	stderrIsTerminal = true,
}: {
	readonly mustTypeName?: boolean;
	readonly text?: string;
	readonly flags?: readonly string[];
	readonly stderrIsTerminal?: boolean;
} = {}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const approval = makeToolApproval({id: 7, mustTypeName, args: {body: text}});
	const port = createFakePort({approvals: [approval]});
	port.answers.settled = {
		settled: true,
		approval: {
			...approval,
			decision: {outcome: 'allowed', at: approval.requestedAt, by: 'cli', scope: 'once'},
		},
	};
	stack.use(await serveControl(home.path, port));
	const clock = createFakeClock(approval.requestedAt);
	const terminal = openTerminal(['approvals', 'allow', '7', ...flags], {
		home: home.path,
		clock,
		stderrIsTerminal,
	});
	const settled = () => port.calls.filter(({name}) => name === 'settleApproval').length;
	/** Reads on until the question. */
	const readAll = async (question: string) => {
		for (;;) {
			// oxlint-disable-next-line no-await-in-loop -- one page after the other
			await terminal.waitFor(/reads on, q leaves|Type its name|Allow "/);
			if (terminal.transcript().includes(question)) {
				return;
			}

			// oxlint-disable-next-line no-await-in-loop
			await terminal.type('');
		}
	};
	return {settled, clock, terminal, readAll, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test.for([
	['a yes', false, 'Allow "create_issue"', 'y', 1],
	['a no', false, 'Allow "create_issue"', 'n', 0],
	['nothing', false, 'Allow "create_issue"', '', 0],
	['its name', true, 'Type its name', 'create_issue', 1],
	['a yes where its name is wanted', true, 'Type its name', 'y', 0],
] as const)(
	'on a terminal the whole request is read before anybody is asked: %s',
	async ([, mustTypeName, question, line, allows]) => {
		await using setup = await open({mustTypeName});
		await setup.readAll(question);
		expect(setup.settled()).toBe(0);
		const read = setup.terminal.transcript().replaceAll('\n┊ ', '');
		for (const text of body.split('\n')) {
			expect(read).toContain(text);
		}

		await setup.terminal.type(line);
		expect(await setup.terminal.exited).toBe(allows === 1 ? 0 : 1);
		expect(setup.settled()).toBe(allows);
	},
);

test('a long line of it is not cut, and each of its rows says that it goes on', async () => {
	await using setup = await open({text: `${'x'.repeat(4000)} the end`});
	await setup.readAll('Allow "create_issue"');
	expect(setup.terminal.transcript()).toMatch(/^┊ x+ the end"$/m);
	await setup.terminal.type('n');
	await setup.terminal.exited;
});

test('"refused when unread": a yes, a name and lines that come together read nothing on and allow nothing', async () => {
	await using setup = await open({mustTypeName: true});
	const {terminal} = setup;
	await terminal.waitFor('reads on, q leaves');
	for (const line of ['y', 'yes', 'create_issue', 'allow']) {
		// oxlint-disable-next-line no-await-in-loop -- one line after the other
		await terminal.type(line);
		// oxlint-disable-next-line no-await-in-loop
		await terminal.waitFor('Not everything was read yet');
		// oxlint-disable-next-line no-await-in-loop
		await terminal.waitFor('reads on, q leaves');
	}

	terminal.send('\r\r\r\rcreate_issue\r');
	await terminal.waitFor('Lines that come together');
	await terminal.waitFor('reads on, q leaves');
	await terminal.type('q');
	expect(await terminal.exited).toBe(1);
	expect(setup.settled()).toBe(0);
});

test('a yes counts half a second after the last page, alone, and typed after it was shown', async () => {
	await using setup = await open({text: 'short'});
	const {terminal, clock} = setup;
	await setup.readAll('Allow "create_issue"');
	terminal.send('y\r');
	await terminal.waitFor('Too early');
	await terminal.waitFor('[y/N]');
	// Begun too early, ended later.
	terminal.send('y');
	await terminal.waitFor('y');
	clock.advance(2000);
	terminal.send('\r');
	await terminal.waitFor('Too early');
	await terminal.waitFor('[y/N]');
	clock.advance(2000);
	terminal.send('y\ry\r');
	await terminal.waitFor('together with other lines');
	await terminal.waitFor('[y/N]');
	expect(setup.settled()).toBe(0);
	await terminal.type('y');
	expect(await terminal.exited).toBe(0);
	expect(setup.settled()).toBe(1);
});

test('neither --yes nor --tool answers on a terminal', async () => {
	await using setup = await open({
		text: 'short',
		mustTypeName: true,
		flags: ['--yes', '--tool', 'create_issue'],
	});
	await setup.readAll('Type its name');
	expect(setup.settled()).toBe(0);
	setup.terminal.end();
	expect(await setup.terminal.exited).toBe(1);
	expect(setup.settled()).toBe(0);
});

test('a rule is read before it is made, and its end, Ctrl-C and the end of the input change nothing', async () => {
	await using setup = await open({text: 'short', flags: ['--for', 'run', '--args', 'body']});
	await setup.terminal.waitFor('The rule that is made allows until its run ends: the same body');
	await setup.readAll('Allow "create_issue"');
	setup.terminal.send('\u0003');
	expect(await setup.terminal.exited).toBe(130);
	expect(setup.settled()).toBe(0);
});

test('a page that was there for less than half a second is not read: Enter that comes sooner does not read on', async () => {
	await using shown = await open({text: body.repeat(5)});
	await shown.terminal.waitFor('reads on, q leaves');
	shown.clock.advance(100);
	shown.terminal.send('\r');
	await shown.terminal.waitFor('Too early');
	await shown.readAll('Allow "');
	await shown.terminal.type('y');
	await shown.terminal.exited;
	expect(shown.settled()).toBe(1);
});

test('who types at a terminal and sees no question allows nothing: standard error goes elsewhere', async () => {
	await using shown = await open({stderrIsTerminal: false});
	expect(await shown.terminal.exited).toBe(1);
	expect(shown.terminal.transcript()).toContain('(confirmation_needed)');
	expect(shown.settled()).toBe(0);
});

test('a name that is pasted allows nothing: it has to be typed', async () => {
	await using shown = await open({mustTypeName: true, text: 'short'});
	await shown.readAll('Type its name');
	shown.clock.advance(2000);
	shown.terminal.send('\u001B[200~create_issue\u001B[201~');
	shown.terminal.send('\r');
	await shown.terminal.waitFor('was pasted');
	expect(shown.settled()).toBe(0);
	await shown.terminal.type('create_issue');
	await shown.terminal.exited;
	expect(shown.settled()).toBe(1);
	expect(shown.terminal.written()).toContain('\u001B[?2004h');
	expect(shown.terminal.written().endsWith('\u001B[?2004h')).toBe(false);
});
