import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {codeOf} from '../../../source/core/errors.ts';
import {startTestGateway} from '../../helpers/gateway.ts';
import {officialProgram} from '../../helpers/official-program.ts';
import {startScriptedModel, type ScriptedAnswer} from '../../helpers/scripted-model.ts';

const everything = officialProgram('everything');

async function startChat(answers: readonly ScriptedAnswer[]) {
	await using stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const gateway = stack.use(
		await startTestGateway({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				mcp_servers: {
					every: {command: process.execPath, args: [everything, 'stdio'], trust: 'untrusted'},
				},
			},
		}),
	);
	const opened = stack.move();
	return {model, gateway, [Symbol.asyncDispose]: async () => opened.disposeAsync()};
}

test('words come as they are said, calls wait for a yes, and the answer is in the session when the run is done', async () => {
	const more = Promise.withResolvers<void>();
	await using chat = await startChat([
		{toolCalls: [{name: 'mcp__every__toggle_simulated_logging', arguments: {}}]},
		{deltas: ['It ', 'is on'], between: async () => more.promise},
		{text: 'Still'},
	]);
	const {gateway} = chat;
	const {port} = gateway;
	const {session, run} = await port.sendChat({text: 'Turn it on'});
	// One turn at a time.
	await expect(port.sendChat({text: 'x', session})).rejects.toMatchObject({code: 'session_busy'});
	await expect(port.deleteSession(session)).rejects.toMatchObject({code: 'session_busy'});
	const {approvals} = await gateway.until(({approvals: [first]}) => first !== undefined);
	expect(approvals[0]).toMatchObject({run, chat: {key: 'terminal'}, scopes: ['once', 'run']});
	await port.settleApproval(approvals[0]?.id ?? 0, {
		answer: {choice: 'allow', scope: 'once', typedName: 'toggle-simulated-logging'},
		by: 'tui',
	});
	const speaking = await gateway.until(({said}) => said?.[run] !== undefined);
	expect(speaking.said?.[run]?.text).toBe('It ');
	more.resolve();
	await gateway.until(({runs}) => runs.some(({id, state}) => id === run && state === 'done'));
	const stored = await port.getSession(session);
	expect(stored?.conversation.map(({message}) => message['content'])).toEqual([
		'Turn it on',
		'It is on',
	]);
	const next = await port.sendChat({text: 'And now?', session});
	await gateway.until(({runs}) => runs.some(({id, state}) => id === next.run && state === 'done'));
	const {body} = await chat.model.request(2);
	expect(body.messages.slice(1).map(({content}: {content: string}) => content)).toEqual([
		'Turn it on',
		'It is on',
		'And now?',
	]);
});

test('a turn that is stopped, or fails, leaves nothing in the session, which goes on', async () => {
	await using chat = await startChat([
		{deltas: ['half of ', 'it'], ending: 'hang'},
		{status: 401},
		{text: 'Whole'},
	]);
	const {gateway} = chat;
	const {port} = gateway;
	const ended = async (run: number, state: string) =>
		gateway.until(({runs}) => runs.some(one => one.id === run && one.state === state));
	const {session, run} = await port.sendChat({text: 'one'});
	await gateway.until(({said}) => said?.[run] !== undefined);
	expect(await port.cancelRun(run)).toBe(true);
	await ended(run, 'cancelled');

	/** The turn before may be ending. */
	const again = async (text: string): Promise<number> => {
		const begun = await port.sendChat({text, session}).catch((error: unknown) => codeOf(error));
		if (begun === 'session_busy') {
			return again(text);
		}

		return typeof begun === 'string' ? Number.NaN : begun.run;
	};
	await ended(await again('two'), 'failed');
	await ended(await again('three'), 'done');
	const stored = await port.getSession(session);
	expect(stored?.conversation.map(({message}) => message['content'])).toEqual(['three', 'Whole']);
});

test('a run whose answer could not be put into the session has failed', async () => {
	const more = Promise.withResolvers<void>();
	await using chat = await startChat([
		{deltas: ['It ', 'is on'], between: async () => more.promise},
	]);
	const {gateway} = chat;
	const {session, run} = await gateway.port.sendChat({text: 'Turn it on'});
	await gateway.until(({said}) => said?.[run] !== undefined);
	using database = new DatabaseSync(gateway.paths.stateDb, {timeout: 5000});
	database.prepare('delete from session where id = ?').run(session);
	more.resolve();
	const {runs} = await gateway.until(state =>
		state.runs.some(({id, finishedAt}) => id === run && finishedAt !== undefined),
	);
	expect(runs.find(({id}) => id === run)).toMatchObject({
		state: 'failed',
		error: expect.stringContaining(session),
	});
});
