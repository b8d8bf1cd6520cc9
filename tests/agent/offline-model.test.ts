import {streamText, generateText} from 'ai';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {digestMessage, toolLinesIn} from '../../source/agent/offline-digest.ts';
import {createOfflineModel} from '../../source/agent/offline-model.ts';
import {createAgent, createTool} from './agent-fixture.ts';

const label = '[svc-offline: no language model is configured; this is a rule-based digest]';

test('its answers start with the label of the decisions', async () => {
	await using agent = createAgent();

	const {answer, model} = await agent.ask('Deploy of api finished in 12 s');

	expect(answer).toBe(
		`${label}\n\nThe message has 7 words. It begins: Deploy of api finished in 12 s`,
	);
	expect(model.provider).toBe('offline');
	expect(agent.work.at(-1)?.usage?.outputTokens).toBe(Math.ceil(answer.length / 4));
});

test('a JSON payload becomes a digest of its scalars by path', () => {
	expect(digestMessage('{"pr":{"title":"Fix\\n it","n":7,"ok":true,"x":null},"tags":["a"]}')).toBe(
		[
			'The message holds JSON, an object with 2 keys:',
			'- pr.title: Fix it',
			'- pr.n: 7',
			'- pr.ok: true',
			'- pr.x: null',
			'- tags.0: a',
		].join('\n'),
	);
});

test('one of something is counted as one', () => {
	expect(digestMessage('{"a":1}')).toContain('an object with 1 key:');
	expect(digestMessage('Hello')).toContain('has 1 word.');
});

test('a payload with words around it is found', () => {
	expect(digestMessage('Review this:\n{"n": 7}\nThanks')).toContain('- n: 7');
});

test('the digest of anything is bounded', () => {
	fc.assert(
		fc.property(fc.oneof(fc.string({maxLength: 3000}), fc.json({maxDepth: 9})), text => {
			expect(digestMessage(text).length).toBeLessThan(20_000);
		}),
	);
	expect(digestMessage(`[${'['.repeat(5000)}${']'.repeat(5000)}]`).length).toBeLessThan(20_000);
	expect(digestMessage(`{"a":"${'x'.repeat(100_000)}"}`).length).toBeLessThan(1000);
});

test('the same message gets the same answer', async () => {
	await using agent = createAgent();

	expect((await agent.ask('{"a":1}')).answer).toBe((await agent.ask('{"a":1}')).answer);
});

test('a line "/tool <name> {json}" is a real tool call through the real loop', async () => {
	await using agent = createAgent({approve: async () => ({allowed: true, reason: ''})});
	const order: unknown[] = [];
	const tool = createTool({
		readOnly: false,
		needsApproval: true,
		async execute(args) {
			order.push(args);
			return {text: 'item seven'};
		},
	});

	const {answer, steps, toolCalls} = await agent.ask(
		'Please\n/tool lookup {"id": 7}\n/tool missing\nThanks',
		{
			tools: [tool],
			async beforeSideEffect() {
				order.push('announced');
			},
		},
	);

	expect({steps, toolCalls}).toEqual({steps: 2, toolCalls: 2});
	expect(order).toEqual(['announced', {id: 7}]);
	expect(answer.startsWith(label)).toBe(true);
	expect(answer).toContain('Tool lookup answered: item seven');
	const missing = 'There is no tool "missing": this run has lookup';
	expect(answer).toContain(`Tool missing failed: ${missing}`);
	expect(agent.entries.filter(({kind}) => kind === 'tool-result').map(({text}) => text)).toEqual(
		expect.arrayContaining([missing]),
	);
});

test('lines of what the gateway fetched call no tool, and the digest says how much there is', async () => {
	await using agent = createAgent();
	const tools = [createTool({name: 'lookup'})];

	const {answer, toolCalls} = await agent.ask('Review {"a":1}', {
		tools,
		fetched: ['/tool lookup {"id": 7}\n{"b":2}'],
	});

	expect(toolCalls).toBe(0);
	expect(answer).toBe(
		`${label}\n\nThe message holds JSON, an object with 1 key:\n- a: 1\nWith it comes fetched text of 30 characters.`,
	);
});

test('a tool call of the offline model is denied like any other', async () => {
	await using agent = createAgent({approve: async () => ({allowed: false, reason: 'no'})});

	const {answer} = await agent.ask('/tool lookup {}', {tools: [createTool({needsApproval: true})]});

	expect(answer).toContain('Tool lookup failed: no');
});

test.for([
	['/tool a {"x":1}', [{name: 'a', input: '{"x":1}'}]],
	['/tool a', [{name: 'a', input: '{}'}]],
	[
		'/tool a {}\r\n/tool b {}\r\n',
		[
			{name: 'a', input: '{}'},
			{name: 'b', input: '{}'},
		],
	],
	[' /tool a {}', []],
	['/tool a {"x":', []],
	['/tool a [1]', []],
	['/tool a/b {}', []],
	['/tools a {}', []],
	['/tool a {} trailing', []],
] as const)('tool lines in %j', ([text, lines]) => {
	expect(toolLinesIn(text)).toEqual(lines);
});

test('at most 8 tool lines count', () => {
	expect(toolLinesIn('/tool a {}\n'.repeat(20))).toHaveLength(8);
});

test('it honours maxOutputTokens with finish reason length', async () => {
	const {text, finishReason, usage} = await generateText({
		model: createOfflineModel(),
		prompt: 'Hello there',
		maxOutputTokens: 5,
	});

	expect(text).toBe(label.slice(0, 20));
	expect(finishReason).toBe('length');
	expect(usage).toMatchObject({inputTokens: 3, outputTokens: 5});
});

test('it streams the same answer', async () => {
	const {text, finishReason} = streamText({model: createOfflineModel(), prompt: 'Hello there'});

	expect(await text).toBe(`${label}\n\nThe message has 2 words. It begins: Hello there`);
	expect(await finishReason).toBe('stop');
});

test('it answers nothing once aborted', async () => {
	await expect(
		generateText({
			model: createOfflineModel(),
			prompt: 'Hello',
			abortSignal: AbortSignal.abort(),
		}),
	).rejects.toThrow('aborted');
});
