// @module-tag slow
import {expect, test} from 'vitest';
import type {ApiEndpoint} from '../../source/core/api-key.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {startTestGateway} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';

const everything = officialProgram('everything');

/** A gateway with a run whose call waits for a person, and who asks its API with a key for `endpoints`. */
async function startAsking(
	prompt = '/tool mcp__every__toggle_simulated_logging {}',
	endpoints: readonly ApiEndpoint[] = ['approvals'],
	kind: 'live' | 'test' = 'live',
) {
	await using stack = new AsyncDisposableStack();
	const gateway = stack.use(
		await startTestGateway({
			config: {
				api: {enabled: true, port: 0},
				mcp_servers: {
					every: {command: process.execPath, args: [everything, 'stdio'], trust: 'untrusted'},
				},
			},
			subscriptions: {hook: {prompt}},
		}),
	);
	const {api} = await gateway.until(({api: now}) => now?.state === 'listening');
	const url = api?.state === 'listening' ? api.url : '';
	const {secret} = await gateway.port.createKey({
		name: 'phone',
		kind,
		endpoints: [...endpoints],
		models: ['*'],
		agents: true,
	});
	await gateway.send('hook', {});
	const {approvals, runs} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	const opened = stack.move();
	return {
		gateway,
		id: approvals[0]?.id ?? 0,
		runId: runs[0]?.id ?? 0,
		async ask(path: string, body?: JsonObject) {
			const answer = await fetch(`${url}${path}`, {
				headers: {authorization: `Bearer ${secret}`, 'content-type': 'application/json'},
				...(body && {method: 'POST', body: JSON.stringify(body)}),
			});
			// oxlint-disable-next-line typescript/no-explicit-any -- read by path
			return {status: answer.status, json: (await answer.json()) as any};
		},
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

test('a call that waits is listed whole, and allowed by who sends its digest', async () => {
	await using asking = await startAsking();
	const {status, json} = await asking.ask('/v1/approvals');
	expect(status).toBe(200);
	expect(json).toEqual({
		object: 'list',
		data: [
			{
				id: String(asking.id),
				tool: 'toggle-simulated-logging',
				server: 'every',
				arguments: {},
				arguments_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
				run: asking.runId,
				deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			},
		],
	});
	const path = `/v1/approvals/${asking.id}`;
	const digest = json.data[0].arguments_digest as string;

	for (const [body, code, param] of [
		[{}, 'missing_required_parameter', 'decision'],
		[{decision: 'maybe'}, 'unsupported_value', 'decision'],
		[{decision: 'allow'}, 'missing_required_parameter', 'arguments_digest'],
		[{decision: 'allow', arguments_digest: 7}, 'invalid_type', 'arguments_digest'],
		[{decision: 'deny', reason: 7}, 'invalid_type', 'reason'],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const answer = await asking.ask(path, body);
		expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
			400,
			code,
			param,
		]);
	}

	const wrong = await asking.ask(path, {decision: 'allow', arguments_digest: 'f'.repeat(64)});
	expect([wrong.status, wrong.json.error.code]).toEqual([409, 'arguments_digest_mismatch']);
	expect(await asking.ask(path, {decision: 'allow', arguments_digest: digest})).toEqual({
		status: 200,
		json: {id: String(asking.id), decision: 'allow'},
	});
	const run = await asking.gateway.ended(asking.runId);
	expect(run.transcript.find(({kind}) => kind === 'tool-result')?.data).toMatchObject({
		ok: true,
		approval: 'allowed by API key "phone"',
	});
	// What is settled is nobody's any more.
	const late = await asking.ask(path, {decision: 'deny'});
	expect([late.status, late.json.error.code]).toEqual([404, 'approval_not_found']);
	expect((await asking.ask('/v1/approvals')).json.data).toEqual([]);
	expect(await asking.gateway.port.listApprovalRules()).toEqual([]);
});

test('a denial tells the agent why', async () => {
	await using asking = await startAsking();
	const denied = await asking.ask(`/v1/approvals/${asking.id}`, {
		decision: 'deny',
		reason: 'not on a Friday',
	});
	expect(denied.status).toBe(200);
	const run = await asking.gateway.ended(asking.runId);
	expect(run.transcript.find(({kind}) => kind === 'tool-result')).toMatchObject({
		text: expect.stringContaining('not on a Friday'),
		data: {denied: true},
	});
});

test('of two faces that answer at once the first wins, and the other is told', async () => {
	await using asking = await startAsking();
	const {json} = await asking.ask('/v1/approvals');
	const [byKey, byPerson] = await Promise.all([
		asking.ask(`/v1/approvals/${asking.id}`, {
			decision: 'allow',
			arguments_digest: json.data[0].arguments_digest as string,
		}),
		asking.gateway.port.settleApproval(asking.id, {answer: {choice: 'deny'}, by: 'cli'}),
	]);
	expect([byKey.status === 200, byPerson.settled].filter(Boolean)).toHaveLength(1);
	expect(byKey.status).toBe(byPerson.settled ? 404 : 200);
	const run = await asking.gateway.ended(asking.runId);
	expect(run.transcript.find(({kind}) => kind === 'tool-result')?.data?.['ok']).toBe(
		!byPerson.settled,
	);
});

test('what is too large to be listed can only be denied', async () => {
	const message = 'x'.repeat(70_000);
	await using asking = await startAsking(
		`/tool mcp__every__toggle_simulated_logging ${JSON.stringify({message})}`,
	);
	const {json} = await asking.ask('/v1/approvals');
	expect(json.data).toMatchObject([{arguments: null, arguments_digest: null}]);
	const path = `/v1/approvals/${asking.id}`;
	const allowed = await asking.ask(path, {decision: 'allow', arguments_digest: ''});
	expect([allowed.status, allowed.json.error.code]).toEqual([409, 'arguments_not_shown']);
	expect((await asking.ask(path, {decision: 'deny'})).status).toBe(200);
	await asking.gateway.ended(asking.runId);
});

test.for([
	['for anything else', ['chat', 'models'], 'live'],
	// What it lets happen would be no test.
	['for tests', ['approvals'], 'test'],
] as const)('a key %s neither sees nor answers', async ([, endpoints, kind]) => {
	await using asking = await startAsking(undefined, endpoints, kind);
	const listed = await asking.ask('/v1/approvals');
	expect([listed.status, listed.json.error.code]).toEqual([403, 'endpoint_access_denied']);
	expect((await asking.ask(`/v1/approvals/${asking.id}`, {decision: 'deny'})).status).toBe(403);
	expect(asking.gateway.port.getState().approvals).toHaveLength(1);
});
