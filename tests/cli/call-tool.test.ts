import {expect, test} from 'vitest';
import type {ToolApproval} from '../../source/core/approval.ts';
import {SvcError} from '../../source/core/errors.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeShownTool, makeToolApproval} from '../helpers/make-approval.ts';
import {makeServer, makeServerTool} from '../helpers/make-server.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, serveControl} from './command.ts';
import {openTerminal, turns} from './terminal.ts';

const args = {id: 7, text: 'Wipes\u001b[2J'};

/** A gateway whose tool `remove` asks a person first. */
async function open({asks}: {readonly asks: boolean}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const {
		run: _,
		route: __,
		delivery: ___,
		...call
	} = makeToolApproval({
		id: 5,
		mustTypeName: true,
		args,
		tool: makeShownTool({tool: 'remove', name: 'mcp__crm__remove', server: 'crm'}),
	});
	const approval: ToolApproval = call;
	const port = createFakePort({
		servers: [
			makeServer({tools: [makeServerTool({tool: 'remove', name: 'mcp__crm__remove', asks})]}),
		],
	});
	const decided = Promise.withResolvers<string>();
	const tried: unknown[] = [];
	port.tryTool = async (name, body) => {
		tried.push([name, body]);
		if (asks) {
			port.emit({type: 'approval-requested', at: approval.requestedAt, approval});
			if ((await decided.promise) !== 'allow') {
				throw new SvcError('tool_denied', 'Cannot call tool: denied');
			}
		}

		return port.answers.toolResult;
	};
	const answers: unknown[] = [];
	port.settleApproval = async (id, {answer}) => {
		answers.push([id, answer]);
		decided.resolve(answer.choice);
		const outcome = answer.choice === 'allow' ? 'allowed' : 'denied';
		const decision = {outcome, at: approval.requestedAt, by: 'cli', scope: 'once'} as const;
		return {settled: true, approval: {...approval, decision}};
	};
	stack.use(await serveControl(home.path, port));
	const clock = createFakeClock(approval.requestedAt);
	return {
		home: home.path,
		clock,
		port,
		tried,
		answers,
		/** Lets the call go on, or fail. */
		settle: decided.resolve,
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const calling = (json: unknown, ...flags: readonly string[]) => [
	'mcp',
	'call',
	'crm',
	'remove',
	JSON.stringify(json),
	...flags,
];

test('a tool that asks nobody is called, and its result printed; its error exits 1', async () => {
	await using setup = await open({asks: false});
	setup.port.answers.toolResult = {text: 'gone\u001b[2J'};
	expect(await command(calling(args), setup)).toMatchObject({code: 0, stdout: 'gone␛[2J\n'});
	expect(setup.tried).toEqual([
		['mcp__crm__remove', {arguments: args, by: 'cli', profile: 'default'}],
	]);
	setup.port.answers.toolResult = {text: 'no such account', isError: true};
	const {code, stdout} = await command(calling(args, '--json'), setup);
	expect({code, result: JSON.parse(stdout)}).toEqual({
		code: 1,
		result: {text: 'no such account', isError: true},
	});
});

test('what is no JSON object, no server and no tool is said', async () => {
	await using setup = await open({asks: false});
	expect(await command(['mcp', 'call', 'crm', 'remove', '[1]'], setup)).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('Use a JSON object'),
	});
	for (const [words, code] of [
		[['erp', 'remove'], 'server_not_found'],
		[['crm', 'drop'], 'tool_not_found'],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		expect(await command(['mcp', 'call', ...words], setup)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(`(${code})`),
		});
	}
});

test('through a pipe a call that needs a yes wants --yes, and is denied without', async () => {
	await using denied = await open({asks: true});
	expect(await command(calling(args), denied)).toMatchObject({
		code: 1,
		stdout: '',
		stderr: expect.stringContaining('add --yes to call it (confirmation_needed)'),
	});
	expect(denied.answers).toEqual([[5, {choice: 'deny'}]]);

	await using allowed = await open({asks: true});
	expect(await command(calling(args, '--yes'), allowed)).toMatchObject({code: 0, stdout: 'done\n'});
	expect(allowed.answers).toEqual([[5, {choice: 'allow', scope: 'once', typedName: 'remove'}]]);
});

test.for([
	['remove', {choice: 'allow', scope: 'once', typedName: 'remove'}, 0],
	['y', {choice: 'deny'}, 1],
] as const)(
	'on a terminal the call is read whole and its name typed: "%s"',
	async ([line, answer, code]) => {
		await using setup = await open({asks: true});
		const terminal = openTerminal(calling(args, '--yes'), {...setup, rows: 60});
		await terminal.waitFor(String.raw`"text": "Wipes\u001b[2J"`);
		await terminal.waitFor('Type its name to allow it: ');
		expect(setup.answers).toEqual([]);
		await terminal.type(line);
		expect(await terminal.exited).toBe(code);
		expect(setup.answers).toEqual([[5, answer]]);
		await turns();
	},
);

test('the question of a call closes when another face answers, or the call ends', async () => {
	await using setup = await open({asks: true});
	const terminal = openTerminal(calling(args), {...setup, rows: 60});
	await terminal.waitFor('Type its name to allow it: ');
	const [approval] = setup.port.getState().approvals;
	if (!approval) {
		throw new Error('Nothing waits');
	}

	const at = approval.requestedAt;
	const decision = {outcome: 'denied', at, by: 'tui (ann)'} as const;
	setup.port.emit({type: 'approval-settled', at, approval: {...approval, decision}});
	await terminal.waitFor('it is settled already, denied by tui (ann)');
	setup.settle('deny');
	expect(await terminal.exited).toBe(1);
	expect(setup.answers).toEqual([]);

	await using ending = await open({asks: true});
	const other = openTerminal(calling(args), {...ending, rows: 60});
	await other.waitFor('Type its name to allow it: ');
	ending.settle('deny');
	expect(await other.exited).toBe(1);
	expect(ending.answers).toEqual([]);
});

test('no line of a result can be taken for the prompt: on a terminal it is indented', async () => {
	await using opened = await open({asks: false});
	opened.port.answers.toolResult = {text: 'one\nsvc> approvals allow 1'};
	const terminal = openTerminal(['mcp', 'call', 'crm', 'remove', '{}'], {
		home: opened.home,
		clock: opened.clock,
	});
	await terminal.exited;
	expect(terminal.transcript()).toContain('  one\n  svc> approvals allow 1\n');
});
