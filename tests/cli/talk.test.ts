import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {StoredRun} from '../../source/core/run.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort, type FakePort} from '../helpers/fake-port.ts';
import {interrupt} from '../helpers/interrupt.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {makeRun} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';
import {openTerminal} from './terminal.ts';

const at = 1_790_000_000_000;

async function open(answer: (port: FakePort, run: number) => void) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const port = createFakePort();
	const said: unknown[] = [];
	let run = 0;
	port.sendChat = async body => {
		said.push(body);
		run += 1;
		const now = run;
		port.emit({type: 'run-changed', at, run: makeRun({id: now, state: 'running'})});
		setImmediate(() => {
			answer(port, now);
		});
		return {session: body.session ?? `ses_${now}`, run: now};
	};
	port.cancelRun = async id => {
		port.calls.push({name: 'cancelRun', args: [id]});
		end(port, id, {state: 'cancelled'});
		return true;
	};
	const served = stack.use(await serveControl(home.path, port));
	const clock = createFakeClock(at);
	return {
		home: home.path,
		clock,
		port,
		said,
		served,
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

/** What an agent says, in pieces, and that its run has ended. */
function say(port: FakePort, run: number, ...pieces: readonly string[]): void {
	let from = 0;
	const events = pieces.map((text): GatewayEvent => {
		const event = {type: 'run-said', at, runId: run, from, text} as const;
		from += text.length;
		return event;
	});
	port.emit(...events);
}

function end(
	port: FakePort,
	id: number,
	{state, answer = ''}: {readonly state: 'done' | 'failed' | 'cancelled'; readonly answer?: string},
) {
	const run = makeRun({
		id,
		state,
		...(state === 'failed' ? {error: 'the model is gone'} : {answer}),
	});
	const plan = {prompt: '', target: {kind: 'log', extra: {}}, skills: []};
	const stored: StoredRun = {...run, plan, transcript: [], fullAnswer: answer};
	port.runs.set(id, stored);
	port.emit({type: 'run-changed', at, run});
}

const answering = (port: FakePort, run: number) => {
	say(port, run, 'Hel', 'lo \u001b[2J');
	port.emit({
		type: 'run-progressed',
		at,
		runId: run,
		entry: {at, kind: 'text', text: 'Hello \u001b[2Jthere'},
	});
	end(port, run, {state: 'done', answer: 'Hello \u001b[2Jthere'});
};

test('one turn: the words, or what comes through a pipe; the answer is cleaned', async () => {
	await using setup = await open(answering);
	expect(await command(['talk', 'How', 'are you?'], setup)).toMatchObject({
		code: 0,
		stdout: 'Hello ␛[2Jthere\n',
		stderr: '',
	});
	expect(await command(['talk'], {...setup, stdin: 'From a pipe'})).toMatchObject({code: 0});
	expect(setup.said).toEqual([{text: 'How are you?'}, {text: 'From a pipe'}]);
	expect(await commandJson(['talk', 'x'], setup)).toMatchObject({
		session: 'ses_3',
		state: 'done',
		answer: 'Hello \u001b[2Jthere',
	});
	expect((await command(['talk'], {...setup, stdin: ''})).code).toBe(1);
});

test('it goes on with the last session of the person, and with --new it does not', async () => {
	await using setup = await open(answering);
	const session = {
		model: 'm',
		createdAt: at,
		usedAt: at,
		messages: 0,
		bytes: 0,
		title: 'x',
		conversation: [],
	};
	setup.port.sessions.set('ses_k', {
		...session,
		id: 'ses_k',
		key: {id: 'key_1', name: 'k', isTest: false},
	});
	setup.port.sessions.set('ses_p', {...session, id: 'ses_p'});
	setup.port.listSessions = async () =>
		[...setup.port.sessions.values()].map(({conversation, ...rest}) => ({
			...rest,
			messages: conversation.length,
		}));
	await command(['talk', 'on'], setup);
	await command(['talk', '--new', 'anew'], setup);
	await command(['talk', '--session', 'ses_o', 'there'], setup);
	expect(setup.said).toEqual([
		{text: 'on', session: 'ses_p'},
		{text: 'anew'},
		{text: 'there', session: 'ses_o'},
	]);
});

test('an answer that fails exits 1 and says why', async () => {
	await using setup = await open((port, run) => {
		end(port, run, {state: 'failed'});
	});
	expect(await command(['talk', 'x'], setup)).toMatchObject({
		code: 1,
		stdout: '',
		stderr: 'No answer: the model is gone\n',
	});
});

test('on a terminal one turn follows the other, Ctrl-C stops an answer, and /new begins a session', async () => {
	await using setup = await open((port, run) => {
		if (run === 2) {
			say(port, run, 'I begin');
			interrupt();
			return;
		}

		answering(port, run);
	});
	const terminal = openTerminal(['talk'], setup);
	await terminal.waitFor('you> ');
	await terminal.type('Hi');
	await terminal.waitFor('Hello ␛[2Jthere');
	await terminal.waitFor('you> ');
	await terminal.type('Think long');
	await terminal.waitFor('I begin');
	await terminal.waitFor('Stopped');
	await terminal.waitFor('you> ');
	await terminal.type('/new');
	await terminal.waitFor('begins a new conversation');
	await terminal.waitFor('you> ');
	await terminal.type('Anew');
	await terminal.waitFor('you> ');
	await terminal.type('/quit');
	expect(await terminal.exited).toBe(0);
	expect(setup.said).toEqual([
		{text: 'Hi'},
		{text: 'Think long', session: 'ses_1'},
		{text: 'Anew'},
	]);
	expect(setup.port.calls).toEqual([{name: 'cancelRun', args: [2]}]);
});

test('a call of the agent is asked for in the conversation, as "svc approvals allow" does', async () => {
	const approval = makeToolApproval({id: 8, run: 1, mustTypeName: true, requestedAt: at});
	await using setup = await open((port, run) => {
		port.emit({type: 'approval-requested', at, approval: {...approval, run}});
	});
	setup.port.settleApproval = async (...args) => {
		setup.port.calls.push({name: 'settleApproval', args});
		answering(setup.port, 1);
		const decision = {outcome: 'allowed', at, by: 'cli', scope: 'once'} as const;
		return {settled: true, approval: {...approval, decision}};
	};
	const terminal = openTerminal(['talk'], {...setup, rows: 60});
	await terminal.waitFor('you> ');
	await terminal.type('File it');
	await terminal.waitFor('Type its name to allow it: ');
	await terminal.type('create_issue');
	await terminal.waitFor('Hello');
	await terminal.waitFor('you> ');
	terminal.send('\u0003');
	expect(await terminal.exited).toBe(0);
	expect(setup.port.calls.map(({name}) => name)).toEqual(['settleApproval']);
});

/** A conversation whose first answer waits for approval 8. */
async function openWaiting() {
	const approval = makeToolApproval({id: 8, run: 1, mustTypeName: true, requestedAt: at});
	const setup = await open((port, run) => {
		port.emit({type: 'approval-requested', at, approval: {...approval, run}});
	});
	const terminal = openTerminal(['talk'], {...setup, rows: 60});
	await terminal.waitFor('you> ');
	await terminal.type('File it');
	await terminal.waitFor('Type its name to allow it: ');
	return {...setup, approval, terminal};
}

test('the question for a call closes when another face answers it', async () => {
	await using setup = await openWaiting();
	const decision = {outcome: 'allowed', at, by: 'tui (ann)', scope: 'once'} as const;
	setup.port.emit({type: 'approval-settled', at, approval: {...setup.approval, decision}});
	await setup.terminal.waitFor('it is settled already, allowed by tui (ann)');
	answering(setup.port, 1);
	await setup.terminal.waitFor('Hello');
	await setup.terminal.waitFor('you> ');
	await setup.terminal.type('/quit');
	expect(await setup.terminal.exited).toBe(0);
	expect(setup.port.calls).toEqual([]);
});

test('Ctrl-C at the question for a call ends the answer', async () => {
	await using setup = await openWaiting();
	setup.terminal.send('\u0003');
	await setup.terminal.waitFor('Stopped');
	await setup.terminal.waitFor('you> ');
	await setup.terminal.type('/quit');
	expect(await setup.terminal.exited).toBe(0);
	expect(setup.port.calls).toEqual([{name: 'cancelRun', args: [1]}]);
});

test('a gateway that goes away is said and waited for, a minute at most', async () => {
	await using setup = await open((port, run) => {
		say(port, run, 'I begin');
	});
	const terminal = openTerminal(['talk'], setup);
	await terminal.waitFor('you> ');
	await terminal.type('Think long');
	await terminal.waitFor('I begin');
	await setup.served[Symbol.asyncDispose]();
	await terminal.waitFor('it is waited for, 60 s at most');
	setup.clock.advance(60_000);
	await terminal.waitFor('(gateway_silent)');
	expect(await terminal.exited).toBe(1);
});
