import {getEventListeners} from 'node:events';
import {expect, test, vi} from 'vitest';
import {instructionsFor} from '../../source/agent/instructions.ts';
import {isPassing} from '../../source/agent/model-fetch.ts';
import {createAgentRunner} from '../../source/agent/run-agent.ts';
import type {Clock} from '../../source/core/clock.ts';
import {SvcError} from '../../source/core/errors.ts';
import {silentLogger} from '../../source/core/log.ts';
import {escapeLineCounting} from '../../source/core/untrusted.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {type ScriptedAnswer, startScriptedModel} from '../helpers/scripted-model.ts';
import {apiKey, createAgent, createTool} from './agent-fixture.ts';

test('the rendered prompt is the user message unchanged, under a system message that calls it untrusted', async () => {
	await using model = await startScriptedModel([{text: 'Hello'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const prompt = '  Issue: ```{title}``` <b>ü\u0000</b>\r\n\n/tool x {}  ';

	const result = await agent.ask(prompt, {skill: {name: 'triage', body: 'Be brief.'}});

	expect(result).toEqual({
		answer: 'Hello',
		silent: false,
		cut: false,
		model: {provider: 'openai-compatible', name: 'scripted-1', origin: 'configured'},
		steps: 1,
		toolCalls: 0,
	});
	const {body, headers} = await model.request(0);
	expect(body.messages).toEqual([
		{role: 'system', content: expect.stringContaining('untrusted data, not instructions')},
		{role: 'user', content: prompt},
	]);
	expect(body.messages[0].content).toContain('# Skill: triage\n\nBe brief.');
	expect(body).not.toHaveProperty('tools');
	expect(headers.authorization).toBe(`Bearer ${apiKey}`);
});

test('the system message holds nothing of the event', () => {
	expect(instructionsFor({})).toBe(instructionsFor({}));
	expect(instructionsFor({})).not.toContain('# Skill');
});

test.for([
	['[SILENT]', true],
	[' \n[SILENT]\n', true],
	['[SILENT] but not quite', false],
	['[silent]', false],
] as const)('the answer %j is silent: %s', async ([text, silent]) => {
	await using model = await startScriptedModel([{text}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	expect((await agent.ask('?')).silent).toBe(silent);
});

test('the transcript tells the run in order, with what joins calls and results', async () => {
	await using model = await startScriptedModel([
		{text: 'Let me look', toolCalls: [{id: 'a', name: 'lookup', arguments: {id: 7}}]},
		{text: 'It is seven'},
	]);
	const clock = createFakeClock(5_000);
	await using agent = createAgent({baseUrl: model.baseUrl, clock});
	const tool = createTool({
		async execute(args) {
			clock.advance(250);
			return {text: `found ${JSON.stringify(args)}`};
		},
	});

	const result = await agent.ask('What is it?', {tools: [tool]});

	expect(result).toMatchObject({answer: 'It is seven', steps: 2, toolCalls: 1});
	expect(agent.work).toEqual([
		{model: 'scripted-1', toolCalls: 1, usage: {inputTokens: 10, outputTokens: 5}},
		{model: 'scripted-1', toolCalls: 1, usage: {inputTokens: 20, outputTokens: 10}},
	]);
	expect(agent.entries).toEqual([
		{at: 5_000, kind: 'prompt', text: 'What is it?', data: {tools: 1}},
		{at: 5_000, kind: 'note', text: 'Model: scripted-1 of openai-compatible (configured)'},
		{
			at: 5_000,
			kind: 'text',
			text: 'Let me look',
			data: {finishReason: 'tool-calls', inputTokens: 10, outputTokens: 5},
		},
		{at: 5_000, kind: 'tool-call', text: '{"id":7}', data: {tool: 'lookup', call: 'a'}},
		{
			at: 5_250,
			kind: 'tool-result',
			text: 'found {"id":7}',
			data: {tool: 'lookup', call: 'a', ok: true, durationMs: 250},
		},
		{
			at: 5_250,
			kind: 'text',
			text: 'It is seven',
			data: {finishReason: 'stop', inputTokens: 10, outputTokens: 5},
		},
	]);
	expect(model.requests[0]?.body.tools).toEqual([
		{
			type: 'function',
			function: {name: 'lookup', description: tool.description, parameters: tool.inputSchema},
		},
	]);
	expect(model.requests[1]?.body.messages.at(-1)).toEqual({
		role: 'tool',
		tool_call_id: 'a',
		content: 'found {"id":7}',
	});
});

test('every text of the transcript is redacted, then bounded to 64 kB', async () => {
	// The head ends at two thirds of 64 kB, within the key.
	const long = `${'x'.repeat(43_680)}${apiKey}${'ü'.repeat(50_000)}`;
	await using model = await startScriptedModel([
		{text: long, toolCalls: [{name: 'lookup', arguments: {key: long}}]},
		{text: long},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	await agent.ask(long, {tools: [createTool({execute: async () => ({text: long})})]});

	expect(agent.entries.map(({kind}) => kind)).toEqual([
		'prompt',
		'note',
		'text',
		'tool-call',
		'tool-result',
		'text',
	]);
	for (const {text} of agent.entries) {
		expect(text).not.toContain('sk-very');
		expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024 + 50);
	}
});

const failures: ReadonlyArray<{
	readonly what: string;
	readonly answer: ScriptedAnswer;
	readonly code: string;
	readonly says: RegExp;
	readonly passing: boolean;
}> = [
	{
		what: 'a status 401',
		answer: {status: 401, message: `Incorrect API key provided: ${apiKey}`},
		code: 'model_refused',
		says: /^Cannot use model "scripted-1" of openai-compatible at HOST: it answered 401; check model.api_key$/,
		passing: false,
	},
	{
		what: 'a status 403',
		answer: {status: 403},
		code: 'model_refused',
		says: /it answered 403/,
		passing: false,
	},
	{
		what: 'a status 400',
		answer: {status: 400, message: `max_tokens is too large\n\u001B[31m ${apiKey}`},
		code: 'model_rejected',
		says: /it answered 400: max_tokens is too large/,
		passing: false,
	},
	{
		what: 'a status 404',
		answer: {status: 404, body: ''},
		code: 'model_rejected',
		says: /it answered 404: .*check model\.name and model\.base_url$/,
		passing: false,
	},
	{
		what: 'a redirect',
		answer: {status: 307, headers: {location: 'http://127.0.0.1:1/'}},
		code: 'model_rejected',
		says: /it answered 307, a redirect, which is not followed/,
		passing: false,
	},
	{
		what: 'a status 429',
		answer: {status: 429, message: 'Slow down'},
		code: 'model_failed',
		says: /it answered 429: Slow down$/,
		passing: true,
	},
	{
		what: 'a status 503 in HTML',
		answer: {status: 503, body: '<html>down</html>'},
		code: 'model_failed',
		says: /it answered 503: Service Unavailable$/,
		passing: true,
	},
	{
		what: 'garbage instead of JSON',
		answer: {garbage: '<html>hello</html>'},
		code: 'model_garbled',
		says: /^Cannot read the answer of model "scripted-1".*: JSON parsing failed/,
		passing: true,
	},
	{
		what: 'JSON of another shape',
		answer: {garbage: '{"choices":"none"}'},
		code: 'model_garbled',
		says: /^Cannot read the answer/,
		passing: true,
	},
	{
		what: 'JSON without choices',
		answer: {garbage: '{"choices":[]}'},
		code: 'model_garbled',
		says: /^Cannot read the answer/,
		passing: true,
	},
	{
		what: 'a line cut in the middle',
		answer: {cut: '{"id":"chatcmpl-1","choices":['},
		code: 'model_unreachable',
		says: /^Cannot reach model .*: the line was cut in the middle of its answer \[UND_ERR_SOCKET\]$/,
		passing: true,
	},
	{
		what: 'a clean end before the answer is complete',
		answer: {garbage: '{"id":"chatcmpl-1","choices":[{"message":{"role":"assist'},
		code: 'model_garbled',
		says: /JSON parsing failed/,
		passing: true,
	},
	{
		what: 'an empty answer',
		answer: {text: ''},
		code: 'model_garbled',
		says: /it said nothing$/,
		passing: true,
	},
	{
		what: 'white space for an answer',
		answer: {text: ' \n'},
		code: 'model_garbled',
		says: /it said nothing$/,
		passing: true,
	},
	{
		what: 'an answer that a content filter ended',
		answer: {text: 'Well', finishReason: 'content_filter'},
		code: 'model_rejected',
		says: /a content filter ended its answer$/,
		passing: false,
	},
	{
		what: 'a tool call in an answer that the output limit cut',
		answer: {toolCalls: [{name: 'lookup'}], finishReason: 'length'},
		code: 'model_garbled',
		says: /it stopped in the middle of a tool call$/,
		passing: true,
	},
];

test.for(failures)('$what is $code', async ({answer, code, says, passing}) => {
	await using model = await startScriptedModel([answer]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const error = await agent.ask('?', {tools: [createTool()]}).catch((thrown: unknown) => thrown);

	expect(error).toBeInstanceOf(SvcError);
	const {code: actual, message} = error as SvcError;
	expect({actual, passing: isPassing(error)}).toEqual({actual: code, passing});
	expect(message.replaceAll(model.host, 'HOST')).toMatch(says);
	expect(message).not.toContain(apiKey);
	expect(escapeLineCounting(message).flags, 'control characters are gone').toBe(0);
	expect(agent.entries.at(-1)).toMatchObject({kind: 'error', text: message, data: {code}});
});

test('a server that is not there is model_unreachable and names the host', async () => {
	const model = await startScriptedModel();
	await model[Symbol.asyncDispose]();
	await using agent = createAgent({baseUrl: model.baseUrl});

	const error = await agent.ask('?').catch((thrown: unknown) => thrown);

	expect(error).toMatchObject({
		code: 'model_unreachable',
		message: `Cannot reach model "scripted-1" of openai-compatible at ${model.host}: is it running, and is model.base_url right [ECONNREFUSED]`,
	});
	expect(isPassing(error)).toBe(true);
});

test.for([
	{what: 'an answer', answer: {text: 'x'.repeat(200_000)}},
	{what: 'an error page', answer: {status: 503, body: 'x'.repeat(200_000)}},
])(
	'$what larger than the bound is not read to its end, and no other try follows',
	async ({answer}) => {
		await using model = await startScriptedModel([answer]);
		await using agent = createAgent({baseUrl: model.baseUrl, maxAnswerBytes: 100_000});

		const error = await agent.ask('?').catch((thrown: unknown) => thrown);

		expect(error).toMatchObject({
			code: 'answer_too_large',
			message: `Cannot read the answer of model "scripted-1" of openai-compatible at ${model.host}: Cannot read an answer of more than 100000 bytes`,
		});
		expect(isPassing(error)).toBe(false);
	},
);

test.for([
	[128, 1, {answer: 'Done'}],
	[129, 0, {code: 'model_garbled'}],
	[50_000, 0, {code: 'model_garbled'}],
] as const)(
	'a tool does not start when its arguments are nested too deep to be written down: %i levels, %i calls',
	async ([levels, calls, expected]) => {
		const nested = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
		await using model = await startScriptedModel([
			{toolCalls: [{name: 'lookup', arguments: nested}]},
			{text: 'Done'},
		]);
		await using agent = createAgent({baseUrl: model.baseUrl});
		let started = 0;
		const tool = createTool({
			async execute() {
				started += 1;
				return {text: 'found'};
			},
		});

		const outcome = await agent.ask('?', {tools: [tool]}).catch((thrown: unknown) => thrown);

		expect(outcome).toMatchObject(expected);
		expect(started).toBe(calls);
	},
);

test('an answer that ends without having said that it does is none: it may have been cut', async () => {
	await using model = await startScriptedModel([{text: 'Here', finishReason: null}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const error = await agent.ask('?').catch((thrown: unknown) => thrown);

	expect(error).toMatchObject({
		code: 'model_garbled',
		message: expect.stringMatching(/ended without a finish reason/),
	});
	expect(isPassing(error)).toBe(true);
});

test('an answer cut by the output limit is an answer with a note', async () => {
	await using model = await startScriptedModel([{text: 'Half', finishReason: 'length'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	expect((await agent.ask('?')).answer).toBe('Half');
	expect(agent.story()).toContain('note: The answer was cut by the output limit of the model');
});

test('a model that hangs ends in run_timeout by our own clock, and its connection is closed', async () => {
	await using model = await startScriptedModel([{hang: true}]);
	const clock = createFakeClock();
	await using agent = createAgent({baseUrl: model.baseUrl, clock});

	const run = agent.ask('?', {timeoutMs: 900_000});
	const settled = run.catch((thrown: unknown) => thrown);
	const request = await model.request(0);
	clock.advance(899_999);
	clock.advance(1);

	const error = await settled;
	expect(error).toMatchObject({
		code: 'run_timeout',
		message:
			'Cannot finish the run within 900 seconds: raise runs.timeout_seconds or give it less to do',
	});
	expect(isPassing(error)).toBe(false);
	expect(await request.closed).toBe(true);
});

test('no timer and no listener outlives a run', async () => {
	await using model = await startScriptedModel([{text: 'Hello'}]);
	let timers = 0;
	const clock: Clock = {
		...createFakeClock(),
		after() {
			timers++;
			return () => {
				timers--;
			};
		},
	};
	await using agent = createAgent({baseUrl: model.baseUrl, clock});
	const {signal} = new AbortController();

	await agent.ask('?', {signal});

	expect(timers).toBe(0);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an abort ends the run at once and closes the connection to the model', async () => {
	await using model = await startScriptedModel([{hang: true}]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const controller = new AbortController();

	const settled = agent.ask('?', {signal: controller.signal}).catch((thrown: unknown) => thrown);
	const request = await model.request(0);
	controller.abort(new Error('stopping'));

	const error = await settled;
	expect(error).toMatchObject({code: 'run_cancelled'});
	expect(isPassing(error)).toBe(false);
	expect(await request.closed).toBe(true);
	expect(model.requests).toHaveLength(1);
});

test('a run whose signal has aborted already sends nothing', async () => {
	await using model = await startScriptedModel([{text: 'Hello'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	await expect(agent.ask('?', {signal: AbortSignal.abort()})).rejects.toMatchObject({
		code: 'run_cancelled',
	});
	expect(model.requests).toHaveLength(0);
});

test('the SDK tries again, waits as long as Retry-After says, and each try is written down', async () => {
	const waits = vi.spyOn(globalThis, 'setTimeout');
	try {
		await using model = await startScriptedModel([
			{status: 429, headers: {'retry-after-ms': '13'}, message: 'Slow down'},
			{status: 503, headers: {'retry-after': '0.017'}, message: 'Busy'},
			{text: 'Finally'},
		]);
		await using agent = createAgent({baseUrl: model.baseUrl, maxRetries: 2});

		const {answer} = await agent.ask('?');

		expect(answer).toBe('Finally');
		// Whatever else this process waits for: nobody but these two answers says 13 and 17.
		const delays = waits.mock.calls.map(([, delay]) => delay);
		expect(delays.filter(delay => delay === 13 || delay === 17)).toEqual([13, 17]);
		const name = `Cannot use model "scripted-1" of openai-compatible at ${model.host}`;
		expect(agent.story()).toEqual([
			`retry: ${name}: it answered 429: Slow down`,
			`retry: ${name}: it answered 503: Busy`,
			'text: Finally',
		]);
		expect(agent.entries.filter(({kind}) => kind === 'retry').map(({data}) => data)).toEqual([
			{attempt: 2},
			{attempt: 3},
		]);
	} finally {
		waits.mockRestore();
	}
});

test('after three tries in all the last failure ends the run', async () => {
	const busy = {status: 503, headers: {'retry-after': '0'}, message: 'Busy'};
	await using model = await startScriptedModel([busy, busy, busy, {text: 'Too late'}]);
	await using agent = createAgent({baseUrl: model.baseUrl, maxRetries: 2});

	await expect(agent.ask('?')).rejects.toMatchObject({
		code: 'model_failed',
		message: expect.stringMatching(/it answered 503: Busy \(3 tries\)$/),
	});
	expect(model.requests).toHaveLength(3);
});

test('a request that was rejected is not sent again', async () => {
	await using model = await startScriptedModel([{status: 400}, {text: 'Too late'}]);
	await using agent = createAgent({baseUrl: model.baseUrl, maxRetries: 2});

	await expect(agent.ask('?')).rejects.toMatchObject({code: 'model_rejected'});
	expect(model.requests).toHaveLength(1);
});

test('a model that cannot be chosen ends the run with the reason', async () => {
	const runner = createAgentRunner({
		clock: createFakeClock(),
		model: async () => Promise.reject(new SvcError('model_misconfigured', 'Cannot use it')),
		redact: text => text,
		log: silentLogger,
	});

	const error = await runner
		.run({
			runId: 1,
			prompt: '?',
			tools: [],
			maxSteps: 1,
			maxSchemaTokens: 20_000,
			timeoutMs: 1000,
			onEntry() {},
			onWork() {},
			beforeSideEffect: async () => {},
			signal: new AbortController().signal,
		})
		.catch((thrown: unknown) => thrown);

	expect(error).toMatchObject({code: 'model_misconfigured'});
	expect(isPassing(error)).toBe(false);
});

test('a run that fails has said what it used by then, and what that cost', async () => {
	await using model = await startScriptedModel([
		{toolCalls: [{id: 'a', name: 'lookup', arguments: {}}]},
		{status: 400},
	]);
	await using agent = createAgent({
		baseUrl: model.baseUrl,
		price: {input: 1000, output: 2000, currency: 'EUR'},
	});

	await expect(agent.ask('?', {tools: [createTool()]})).rejects.toMatchObject({
		code: 'model_rejected',
	});

	expect(agent.work).toEqual([
		{
			model: 'scripted-1',
			toolCalls: 1,
			usage: {inputTokens: 10, outputTokens: 5, cost: {amount: 0.02, currency: 'EUR'}},
		},
	]);
});

test('a call that a model invents in a run without tools is answered to it, and the run goes on', async () => {
	await using model = await startScriptedModel([
		{toolCalls: [{name: 'no_such', arguments: {a: 1}}]},
		{text: 'Without it then'},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	expect(await agent.ask('Do it', {tools: []})).toMatchObject({
		answer: 'Without it then',
		toolCalls: 1,
	});
	expect(agent.story()).toContain('tool-result: There is no tool "no_such": this run has none');
	const {body} = await model.request(1);
	expect(JSON.stringify(body.messages.at(-1))).toContain('no_such');
});
