import {expect, test} from 'vitest';
import {createSafeText} from '../../source/agent/gather-parts.ts';
import {isPassing} from '../../source/agent/model-fetch.ts';
import {createRedact} from '../../source/core/redact.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {createAgent, createTool} from './agent-fixture.ts';

test('text is passed on as it comes, and the answer is all of it', async () => {
	const heard: string[] = [];
	const gate = Promise.withResolvers<void>();
	// The second piece is not sent before the first was heard.
	await using model = await startScriptedModel([
		{deltas: ['Hello ', 'there ', 'you'], between: async index => index === 1 && gate.promise},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	const {answer} = await agent.ask('?', {
		onText(text) {
			heard.push(text);
			gate.resolve();
		},
	});

	expect(answer).toBe('Hello there you');
	expect(heard[0]).toBe('Hello ');
	expect(heard.join('')).toBe(answer);
	expect((await model.request(0)).body).toMatchObject({
		stream: true,
		stream_options: {include_usage: true},
	});
	expect(agent.work).toEqual([
		{model: 'scripted-1', toolCalls: 0, usage: {inputTokens: 10, outputTokens: 5}},
	]);
});

test('what is said before and after a tool call are two answers', async () => {
	await using model = await startScriptedModel([
		{text: 'Let me look', toolCalls: [{name: 'lookup', arguments: {id: 7}}]},
		{text: 'It is seven'},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const heard: Array<readonly [string, boolean]> = [];

	const {answer} = await agent.ask('?', {
		tools: [createTool()],
		onText(text, begins) {
			heard.push([text, begins]);
		},
	});

	expect(answer).toBe('It is seven');
	const answers = heard.reduce<string[]>(
		(all, [text, begins]) => (begins ? [...all, text] : [...all.slice(0, -1), all.at(-1) + text]),
		[],
	);
	expect(answers).toEqual(['Let me look', 'It is seven']);
});

test.for([
	['an error event', 'error', 'model_failed', /Overloaded/],
	[
		'a line that is cut',
		'cut',
		'model_unreachable',
		/the line was cut in the middle of its answer/,
	],
	['an end that does not say so', 'stop', 'model_garbled', /without a finish reason/],
	['a line that is no JSON, before more', {line: '{"choi'}, 'model_garbled', /JSON parsing failed/],
] as const)(
	'%s in the middle of an answer fails, and is not tried again by the loop',
	async ([, ending, code, says]) => {
		const heard = Promise.withResolvers<void>();
		await using model = await startScriptedModel([
			{deltas: ['Well, ', 'so'], between: async () => heard.promise, ending},
			{text: 'No'},
		]);
		await using agent = createAgent({baseUrl: model.baseUrl, maxRetries: 2});

		const error = await agent
			.ask('?', {
				onText() {
					heard.resolve();
				},
			})
			.catch((thrown: unknown) => thrown);

		expect(error).toMatchObject({code, message: expect.stringMatching(says)});
		expect(isPassing(error)).toBe(true);
		expect(model.requests).toHaveLength(1);
	},
);

test('no tool starts of an answer that breaks off', async () => {
	await using model = await startScriptedModel([
		{toolCalls: [{name: 'lookup', arguments: {}}], finishReason: null as never},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	let started = 0;
	const tool = createTool({
		async execute() {
			started += 1;
			return {text: ''};
		},
	});

	await expect(agent.ask('?', {tools: [tool]})).rejects.toMatchObject({code: 'model_garbled'});
	expect(started).toBe(0);
});

test('a reader that leaves in the middle closes the connection to the model', async () => {
	await using model = await startScriptedModel([{deltas: ['Hello ', 'you '], ending: 'hang'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const controller = new AbortController();

	const run = agent.ask('?', {
		signal: controller.signal,
		onText() {
			controller.abort();
		},
	});

	await expect(run).rejects.toMatchObject({code: 'run_cancelled'});
	expect(await (await model.request(0)).closed).toBe(true);
});

test('a reader that cannot take more slows the model down', async () => {
	const delta = `${'x'.repeat(2 ** 16 - 1)} `;
	let sent = 0;
	const paused = Promise.withResolvers<void>();
	await using model = await startScriptedModel([
		{
			deltas: Array.from({length: 400}, () => delta),
			async between(index) {
				sent = index;
			},
		},
	]);
	await using agent = createAgent({baseUrl: model.baseUrl});
	const first = Promise.withResolvers<void>();
	const run = agent.ask('?', {
		async onText() {
			first.resolve();
			await paused.promise;
		},
	});

	await first.promise;
	// It sends until the buffers between are full, and then waits.
	for (let last = -1, same = 0; same < 20;) {
		// oxlint-disable-next-line no-await-in-loop -- a turn of the event loop after the other
		await new Promise(resolve => {
			setImmediate(resolve);
		});
		same = sent === last ? same + 1 : 0;
		last = sent;
	}

	expect(sent).toBeLessThan(399);
	paused.resolve();
	expect((await run).answer.length).toBeGreaterThan(900_000);
});

test.for([
	['JSON', {json: '{"choices":[]}'}],
	['a refusal', {status: 400, message: 'Streaming is not supported'}],
] as const)('a server that answers a stream with %s is asked without', async ([, first]) => {
	await using model = await startScriptedModel([first, {text: 'Hello'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	expect((await agent.ask('?')).answer).toBe('Hello');
	expect(model.requests.map(({body}) => body.stream === true)).toEqual([true, false]);
});

const secret = 'hunter2-hunter2';
const spaced = 'correct horse battery';
const umlauts = 'pässwörter-ä';
const secrets = [secret, spaced, umlauts];

/** What of `text` is passed on when it comes in pieces of `size`. */
async function passOn(text: string, size: number): Promise<readonly string[]> {
	const passed: string[] = [];
	const safe = createSafeText({
		redact: createRedact(() => secrets),
		async write(part) {
			passed.push(part);
		},
	});
	safe.begin();
	for (let at = 0; at < text.length; at += size) {
		// oxlint-disable-next-line no-await-in-loop -- one piece after the other
		await safe.add(text.slice(at, at + size));
	}

	await safe.end();
	return passed;
}

test.for([
	`the password is ${secret}, keep it`,
	`xx${secret}xx`,
	`say ${spaced} staple`,
	`nun ${umlauts}!`,
	`base64 ${Buffer.from(secret).toString('base64')} end`,
	'Authorization: Bearer abcd and more',
	'authorization : abcdefgh',
	'bearer abcdefghijklmnopqrstuvwxyz then',
	'key sk-abcdefghijklmnopqrstuvwx then',
	`-----BEGIN RSA PRIVATE KEY-----\nabc def\nghi\n-----END RSA PRIVATE KEY----- after`,
	'https://user:pass-word@example.com/x?token=abcdef123&x=1 ok',
])('a credential is redacted however its text is cut: %s', async text => {
	const whole = createRedact(() => secrets)(text);
	expect(whole).toContain('[redacted]');
	for (const size of [1, 2, 3, 5, 8, 13, 100]) {
		// oxlint-disable-next-line no-await-in-loop -- each cut
		const passed = await passOn(text, size);
		expect(passed.join(''), `pieces of ${size}`).toBe(whole);
	}
});

test('text without a credential waits for the end of a word, and of other scripts for nothing', async () => {
	expect(await passOn('one two three', 3)).toEqual(['one ', 'two ', 'three']);
	expect(await passOn('日本語のテキスト', 2)).toEqual(['日本', '語の', 'テキ', 'スト']);
	// A word without an end is no reason to show nothing.
	expect((await passOn('x'.repeat(4000), 500)).length).toBeGreaterThan(2);
});
