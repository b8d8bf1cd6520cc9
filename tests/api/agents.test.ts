// @module-tag slow
import {expect, test} from 'vitest';
import {startAgents, untrustedTool as tool} from '../helpers/agents.ts';
import {usageOf} from '../helpers/api.ts';

const ask = {model: 'svc-agent-1', messages: [{role: 'user', content: 'Do it'}]};

test('an agent answers, and its turn is a run of the key in the journal', async () => {
	await using agents = await startAgents([{text: 'Done, my friend'}]);
	const answer = await agents.api.chat({
		...ask,
		messages: [{role: 'system', content: 'Be brief'}, ...ask.messages],
		max_tokens: 7,
	});
	expect(answer.status).toBe(200);
	expect(await answer.json()).toMatchObject({
		choices: [{message: {content: 'Done, my friend'}, finish_reason: 'stop'}],
		usage: {prompt_tokens: 10, completion_tokens: 5},
	});
	const {body} = await agents.model.request(0);
	expect(body).toMatchObject({max_tokens: 7});
	expect(body.messages[0].content).toMatch(/untrusted data[^]*# From the application\n\nBe brief$/);
	expect(body.messages.slice(1)).toEqual([{role: 'user', content: 'Do it'}]);
	const [run] = await agents.api.gateway.port.listRuns({limit: 1});
	expect(run).toMatchObject({event: 'chat', chat: {key: 'test'}, state: 'done'});
	expect(await agents.api.gateway.port.retryRun(run?.id ?? 0)).toBe(false);
});

test('a call that waits is told of in the stream, and a yes of another face lets it run', async () => {
	await using agents = await startAgents([
		{text: 'A moment', toolCalls: [{name: tool, arguments: {}}]},
		{text: 'It is on'},
	]);
	const answering = agents.api.chat({...ask, stream: true}).then(async answer => answer.text());
	const {
		approvals: [waiting],
	} = await agents.api.gateway.until(({approvals: [first]}) => first !== undefined);
	expect(waiting).toMatchObject({chat: {key: 'test'}, scopes: ['once', 'run']});
	await agents.api.gateway.port.settleApproval(waiting?.id ?? 0, {
		answer: {choice: 'allow', scope: 'once', typedName: 'toggle-simulated-logging'},
		by: 'cli',
	});
	const text = await answering;
	expect([...text.matchAll(/"event":"(\w+)"/g)].map(([, event]) => event)).toEqual([
		'tool_started',
		'approval_pending',
		'approval_settled',
		'tool_ended',
	]);
	expect([...text.matchAll(/"content":"([^"]*)"/g)].map(([, part]) => part).join('')).toBe(
		String.raw`A moment\n\nIt is on`,
	);
	expect(text).toMatch(/data: \[DONE\]\s*$/);
});

test('x-svc-approval: deny goes on at once, and a test key has no tools and the offline model', async () => {
	await using agents = await startAgents([
		{toolCalls: [{name: tool, arguments: {}}]},
		{text: 'Then not'},
	]);
	const denied = await agents.api.chat(ask, {headers: {'x-svc-approval': 'deny'}});
	expect(await denied.json()).toMatchObject({choices: [{message: {content: 'Then not'}}]});
	const key = await agents.api.makeKey({name: 'ci', kind: 'test'});
	const offline = await agents.api.chat(
		{...ask, messages: [{role: 'user', content: `/tool ${tool} {}`}]},
		{key},
	);
	expect(offline.headers.get('x-svc-model-kind')).toBe('rule-based');
	expect(JSON.stringify(await offline.json())).toContain('[svc-offline');
	expect(agents.model.requests).toHaveLength(2);
	expect(agents.api.gateway.port.getState().approvals).toEqual([]);
});

test('a client that leaves withdraws its request, and its turn is cancelled', async () => {
	await using agents = await startAgents([{toolCalls: [{name: tool, arguments: {}}]}]);
	const controller = new AbortController();
	const answering = agents.api.chat(ask, {signal: controller.signal}).catch(() => 'left');
	const {approvals} = await agents.api.gateway.until(({approvals: [first]}) => first !== undefined);
	controller.abort();
	expect(await answering).toBe('left');
	const state = await agents.api.gateway.until(({runs}) => runs[0]?.state === 'cancelled');
	expect(state.approvals.filter(({decision}) => !decision)).toEqual([]);
	expect(approvals).toHaveLength(1);
	// What the model had done for it counts.
	expect(await usageOf(agents.api, 1)).toEqual({requests: 1, inputTokens: 10, outputTokens: 5});
});

test('a turn that fails counts what its steps have used', async () => {
	await using agents = await startAgents(
		Array.from({length: 3}, () => ({toolCalls: [{name: tool, arguments: {}}]})),
		{runs: {max_steps: 3}},
	);
	// However it is written: who says it must not wait for a person.
	const answer = await agents.api.chat(ask, {headers: {'x-svc-approval': 'Deny'}});
	expect([answer.status, await answer.json()]).toMatchObject([500, {error: {code: 'step_limit'}}]);
	expect(await usageOf(agents.api, 1)).toEqual({requests: 1, inputTokens: 30, outputTokens: 15});
});
