import {expect, test} from 'vitest';
import {isPassing} from '../../source/agent/model-fetch.ts';
import {errorWithCode} from '../../source/core/errors.ts';
import type {Approve} from '../../source/core/tool.ts';
import {type ScriptedModel, startScriptedModel} from '../helpers/scripted-model.ts';
import {apiKey, createAgent, createTool} from './agent-fixture.ts';

const callThenAnswer = [
	{toolCalls: [{id: 'a', name: 'lookup', arguments: {id: 7}}]},
	{text: 'Done'},
];

/** What the model was told about its last tool call. */
const toldModel = (model: ScriptedModel): string =>
	model.requests.at(-1)?.body.messages.at(-1).content;

test('an approval is asked with the tool, its arguments and the run, and a yes lets the call through', async () => {
	const [call, ...answers] = callThenAnswer;
	await using model = await startScriptedModel([{...call, text: 'I look it up.'}, ...answers]);
	const asked: unknown[] = [];
	const approve: Approve = async ({tool, args, callId, said, runId, endsAt, signal}) => {
		asked.push({tool: tool.name, args, callId, said, runId, endsAt, aborted: signal.aborted});
		return {allowed: true, reason: 'by a rule'};
	};

	await using agent = createAgent({baseUrl: model.baseUrl, approve});
	const {answer} = await agent.ask('?', {tools: [createTool({needsApproval: true})]});

	expect(answer).toBe('Done');
	expect(asked).toEqual([
		{
			tool: 'lookup',
			args: {id: 7},
			callId: 'a',
			said: 'I look it up.',
			runId: 7,
			endsAt: 901_000,
			aborted: false,
		},
	]);
	expect(toldModel(model)).toBe('found');
	expect(agent.entries.find(({kind}) => kind === 'tool-result')?.data).toMatchObject({
		ok: true,
		approval: 'by a rule',
	});
});

test('whether a call needs an approval is asked at each call', async () => {
	const call = (id: string) => ({toolCalls: [{id, name: 'lookup', arguments: {id: 7}}]});
	await using model = await startScriptedModel([call('a'), call('b'), {text: 'Done'}]);
	const asked: string[] = [];
	const approve: Approve = async ({callId}) => {
		asked.push(callId);
		return {allowed: true, reason: ''};
	};

	let calls = 0;
	await using agent = createAgent({baseUrl: model.baseUrl, approve});
	await agent.ask('?', {
		tools: [
			{
				...createTool({
					async execute() {
						calls += 1;
						return {text: 'found'};
					},
				}),
				get needsApproval() {
					return calls > 0;
				},
			},
		],
	});

	expect(asked).toEqual(['b']);
	expect(calls).toBe(2);
});

test('a model that numbers the calls of each answer from the start is asked about for each of them', async () => {
	const call = {toolCalls: [{id: 'call_0', name: 'lookup', arguments: {id: 7}}]};
	await using model = await startScriptedModel([call, call, {text: 'Done'}]);
	const asked: string[] = [];
	const approve: Approve = async ({callId}) => {
		asked.push(callId);
		return {allowed: true, reason: ''};
	};

	await using agent = createAgent({baseUrl: model.baseUrl, approve});
	await agent.ask('?', {tools: [createTool({needsApproval: true})]});

	expect(asked).toEqual(['call_0', 'call_0 (2)']);
});

test('a tool knows its run, and what it tells of its progress is written down, redacted and bounded', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const tool = createTool({
		async execute(_, {runId, onProgress}) {
			for (let step = 1; step <= 100; step += 1) {
				onProgress?.(`step ${step} of run ${runId} with ${apiKey}`);
			}

			return {text: 'found'};
		},
	});

	await agent.ask('?', {tools: [tool]});

	const notes = agent.entries.filter(({kind, data}) => kind === 'note' && data?.['tool']);
	expect(notes).toHaveLength(50);
	expect(notes[0]).toMatchObject({
		text: 'step 1 of run 7 with ***',
		data: {tool: 'lookup', call: 'a'},
	});
});

test.for<{what: string; approve?: Approve; says: string}>([
	{
		what: 'a no',
		approve: async () => ({allowed: false, reason: 'not on a Friday'}),
		says: 'not on a Friday',
	},
	{
		what: 'an approver that fails',
		approve: async () => Promise.reject(new Error(`no database for ${apiKey}`)),
		says: 'it could not be asked for: no database for ***',
	},
	{
		what: 'nobody to ask',
		says: 'it needs an approval, and nobody can be asked here',
	},
])('$what is a denial, and its reason goes to the model', async ({approve, says}) => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl, ...(approve && {approve})});
	let calls = 0;
	const tool = createTool({
		needsApproval: true,
		async execute() {
			calls++;
			return {text: 'found'};
		},
	});

	const {answer} = await agent.ask('?', {tools: [tool]});

	expect(answer).toBe('Done');
	expect(calls).toBe(0);
	expect(toldModel(model)).toBe(says);
	expect(agent.story()).toEqual(['tool-call: {"id":7}', `tool-result: ${says}`, 'text: Done']);
	expect(agent.entries.find(({kind}) => kind === 'tool-result')?.data).toEqual({
		tool: 'lookup',
		call: 'a',
		ok: false,
		denied: true,
	});
});

test.for([
	// In a stream each call gets an identifier of its own.
	['stream', [], [{id: 1}]],
	['answer at once', [{json: '{}'}], []],
] as const)(
	'a yes holds for one call of two that share an identifier: %s',
	async ([, first, expected]) => {
		await using model = await startScriptedModel([
			...first,
			{
				toolCalls: [
					{id: 'same', name: 'lookup', arguments: {id: 1}},
					{id: 'same', name: 'lookup', arguments: {id: 2}},
				],
			},
			{text: 'Done'},
		]);
		const ran: unknown[] = [];
		await using agent = createAgent({
			baseUrl: model.baseUrl,
			approve: async ({args}) => ({
				allowed: JSON.stringify(args) === '{"id":1}',
				reason: 'only the first',
			}),
		});
		const tool = createTool({
			needsApproval: true,
			async execute(args) {
				ran.push(args);
				return {text: 'found'};
			},
		});

		await agent.ask('?', {tools: [tool]}).catch(() => {});

		expect(ran).toEqual(expected);
	},
);

test('an approval that is never given does not outlive the run', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	const controller = new AbortController();
	const approvalSignal = Promise.withResolvers<AbortSignal>();
	await using agent = createAgent({
		baseUrl: model.baseUrl,
		async approve({signal}) {
			approvalSignal.resolve(signal);
			return new Promise(() => {});
		},
	});

	const run = agent.ask('?', {
		tools: [createTool({needsApproval: true})],
		signal: controller.signal,
	});
	const settled = run.catch((thrown: unknown) => thrown);
	const signal = await approvalSignal.promise;
	controller.abort();

	expect(await settled).toMatchObject({code: 'run_cancelled'});
	expect(signal.aborted).toBe(true);
});

test('a tool that may change things starts only after beforeSideEffect has resolved', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const order: string[] = [];
	const tool = createTool({
		readOnly: false,
		async execute() {
			order.push('executed');
			return {text: 'written'};
		},
	});

	await agent.ask('?', {
		tools: [tool],
		async beforeSideEffect() {
			order.push('announced');
			await new Promise(resolve => {
				setImmediate(resolve);
			});
			order.push('recorded');
		},
	});

	expect(order).toEqual(['announced', 'recorded', 'executed']);
});

test('a read-only tool announces no side effect', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const {answer} = await agent.ask('?', {
		tools: [createTool()],
		beforeSideEffect: async () => Promise.reject(new Error('announced')),
	});

	expect(answer).toBe('Done');
});

test.for([
	{thrown: new Error('disk full'), code: 'run_cancelled'},
	{
		thrown: errorWithCode('lease_lost', 'Cannot go on: another process has the run'),
		code: 'lease_lost',
	},
])('a side effect that cannot be recorded ends the run with $code', async ({thrown, code}) => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});
	let calls = 0;
	const tool = createTool({
		readOnly: false,
		async execute() {
			calls++;
			return {text: 'written'};
		},
	});

	const error = await agent
		.ask('?', {tools: [tool], beforeSideEffect: async () => Promise.reject(thrown)})
		.catch((failure: unknown) => failure);

	expect(error).toMatchObject({code});
	expect(isPassing(error)).toBe(false);
	expect(calls).toBe(0);
	expect(model.requests).toHaveLength(1);
});

test('a run that still wants tools after max_steps is step_limit', async () => {
	await using model = await startScriptedModel([], {otherwise: {toolCalls: [{name: 'lookup'}]}});
	await using agent = createAgent({baseUrl: model.baseUrl});

	const error = await agent
		.ask('?', {tools: [createTool()], maxSteps: 3})
		.catch((thrown: unknown) => thrown);

	expect(error).toMatchObject({
		code: 'step_limit',
		message: expect.stringMatching(
			/^Cannot finish the run within 3 steps: .* raise runs.max_steps$/,
		),
	});
	expect(isPassing(error)).toBe(false);
	expect(model.requests).toHaveLength(3);
});

test('an answer in the last step that is allowed is an answer', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const {answer, steps} = await agent.ask('?', {tools: [createTool()], maxSteps: 2});

	expect({answer, steps}).toEqual({answer: 'Done', steps: 2});
});

test('a model that asks for hundreds of calls is stopped before any of them runs', async () => {
	await using model = await startScriptedModel([
		{toolCalls: Array.from({length: 257}, () => ({name: 'lookup'}))},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	let calls = 0;
	const tool = createTool({
		async execute() {
			calls++;
			return {text: ''};
		},
	});

	await expect(agent.ask('?', {tools: [tool]})).rejects.toMatchObject({code: 'step_limit'});
	expect(calls).toBe(0);
});

test('a result larger than 400 kB reaches the model as head and tail', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const text = `begin ${'ü'.repeat(400_000)} end`;

	await agent.ask('?', {tools: [createTool({execute: async () => ({text})})]});

	const told = toldModel(model);
	expect(Buffer.byteLength(told)).toBeLessThan(400_050);
	expect(told).toMatch(/^begin ü+\n\[… \d+ bytes left out …\]\nü+ end$/);
});

test.for([
	{
		what: 'an error result',
		execute: async () => ({text: 'no such item', isError: true}),
		says: 'no such item',
	},
	{
		what: 'a tool that throws',
		execute: async () => Promise.reject(new Error(`refused ${apiKey}`)),
		says: 'refused ***',
	},
])('$what is told to the model and the run goes on', async ({execute, says}) => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const {answer} = await agent.ask('?', {tools: [createTool({execute})]});

	expect(answer).toBe('Done');
	expect(toldModel(model)).toBe(`Error: ${says}`);
	expect(agent.entries.find(({kind}) => kind === 'tool-result')).toMatchObject({
		text: says,
		data: {ok: false},
	});
});

test.for([
	{what: 'a tool that does not exist', call: {name: 'format_disk'}, says: /format_disk/},
	{what: 'a tool named like an inherited member', call: {name: 'constructor'}, says: /constructor/},
	{
		what: 'arguments that are no JSON',
		call: {name: 'lookup', arguments: '{"id":'},
		says: /Invalid input for tool lookup/,
	},
])('$what is told to the model, written down, and never run', async ({call, says}) => {
	await using model = await startScriptedModel([{toolCalls: [call]}, {text: 'Done'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const {answer} = await agent.ask('?', {
		tools: [createTool({execute: async () => Promise.reject(new Error('ran'))})],
	});

	expect(answer).toBe('Done');
	expect(toldModel(model)).toMatch(says);
	expect(agent.entries.find(({kind}) => kind === 'tool-result')).toMatchObject({
		text: expect.stringMatching(says),
		data: {tool: call.name, ok: false},
	});
});

test('a tool gets the signal of the run, and what it says after the end is not written down', async () => {
	await using model = await startScriptedModel(callThenAnswer);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const controller = new AbortController();
	const started = Promise.withResolvers<AbortSignal>();
	const late = Promise.withResolvers<{text: string}>();
	const tool = createTool({
		async execute(_args, {signal}) {
			started.resolve(signal);
			return late.promise;
		},
	});

	const settled = agent
		.ask('?', {tools: [tool], signal: controller.signal})
		.catch((thrown: unknown) => thrown);
	const signal = await started.promise;
	controller.abort();

	expect(await settled).toMatchObject({code: 'run_cancelled'});
	expect(signal.aborted).toBe(true);
	const written = agent.entries.length;
	late.resolve({text: 'too late'});
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	expect(agent.entries).toHaveLength(written);
	expect(agent.entries.at(-1)).toMatchObject({kind: 'error'});
});

test('a tool may be named __proto__', async () => {
	await using model = await startScriptedModel([
		{toolCalls: [{name: '__proto__'}]},
		{text: 'Done'},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	await agent.ask('?', {tools: [createTool({name: '__proto__'})]});

	expect(toldModel(model)).toBe('found');
});
