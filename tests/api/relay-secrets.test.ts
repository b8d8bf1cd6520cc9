import {afterAll, beforeAll, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {
	chunkOf,
	eventsOf,
	lastEvent,
	sendCompletion,
	sendJson,
	sendStream,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {messages, startRelay, type Relay} from '../helpers/relay.ts';

/** The key of the gateway for the model's server, as the server gets it. */
const keyOf = ({headers}: UpstreamRequest) => headers.authorization?.replace('Bearer ', '') ?? '';

let answer: (request: UpstreamRequest) => void;
let relay: Relay;

beforeAll(async () => {
	relay = await startRelay(request => {
		answer(request);
	});
});

afterAll(async () => {
	await relay[Symbol.asyncDispose]();
});

type Delta = {
	readonly content?: string;
	readonly reasoning_content?: string;
	readonly tool_calls?: ReadonlyArray<{
		readonly index: number;
		readonly function: {readonly arguments?: string};
	}>;
};
type Choice = {readonly delta: Delta; readonly logprobs: JsonObject | null};

const choicesOf = (text: string): readonly Choice[] =>
	eventsOf(text)
		.filter(event => event !== '[DONE]')
		.flatMap(event => (JSON.parse(event) as {choices: readonly Choice[]}).choices);

const textOf = (choices: readonly Choice[], name: 'content' | 'reasoning_content') =>
	choices.map(({delta}) => delta[name] ?? '').join('');

const argumentsOf = (choices: readonly Choice[], at: number) =>
	choices
		.flatMap(({delta}) => delta.tool_calls ?? [])
		.filter(({index}) => index === at)
		.map(call => call.function.arguments ?? '')
		.join('');

const ask = async (body: JsonObject = {}) => {
	const reply = await relay.api.chat({model: 'fast', messages, ...body});
	return reply.text();
};

test("a server that repeats the gateway's key is not passed on with it, in one piece", async () => {
	answer = request => {
		const key = keyOf(request);
		sendCompletion(
			request,
			{
				content: `You sent ${key} and Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
				reasoning_content: `I got ${key}`,
				tool_calls: [
					{id: 'a', type: 'function', function: {name: 'put', arguments: `{"k":"${key}"}`}},
				],
				reasoning_details: [{type: 'reasoning.text', text: key}],
			},
			{finishReason: 'tool_calls'},
		);
	};
	const text = await ask();
	expect(relay.upstream.requests.map(keyOf)).toEqual(['sk-upstream-secret-0123456789']);
	expect(text).not.toMatch(/upstream-secret|dXBzdHJlYW0tc2Vjcm/);
	expect(JSON.parse(text)).toMatchObject({
		choices: [
			{
				message: {
					content: expect.stringContaining('You sent [redacted] and Basic '),
					reasoning_content: 'I got [redacted]',
					tool_calls: [{function: {name: 'put', arguments: '{"k":"[redacted]"}'}}],
					reasoning_details: [{text: '[redacted]'}],
				},
			},
		],
	});
	const responded = await relay.api.respond({model: 'fast', input: 'Hello'});
	expect(await responded.text()).not.toContain('upstream-secret');
});

test('nor as a stream, letter by letter, in its text, its thoughts and its calls', async () => {
	answer = request => {
		const key = keyOf(request);
		const parts = [
			...`Hm, ${key}. `.split('').map(reasoning_content => ({reasoning_content})),
			...`It is ${key}, prefix${key}!`.split('').map(content => ({content})),
			{tool_calls: [{index: 0, id: 'a', function: {name: 'put', arguments: ''}}]},
			...`{"k":"${key}"}`
				.split('')
				.map(letter => ({tool_calls: [{index: 0, function: {arguments: letter}}]})),
		];
		sendStream(
			request,
			...parts.map(part => chunkOf(part)),
			chunkOf({}, {finishReason: 'tool_calls'}),
			lastEvent,
		);
	};
	const choices = choicesOf(await ask({stream: true}));
	expect(textOf(choices, 'reasoning_content')).toBe('Hm, [redacted]. ');
	// In the middle of a word three letters may have left before it is known.
	expect(textOf(choices, 'content')).toBe('It is [redacted], prefixsk-[redacted]!');
	expect(argumentsOf(choices, 0)).toBe('{"k":"[redacted]"}');

	const responded = await relay.api.respond({model: 'fast', input: 'Hello', stream: true});
	const deltas = [...(await responded.text()).matchAll(/"delta":"((?:[^"\\]|\\.)*)"/g)];
	expect(deltas.map(([, delta]) => delta).join('')).not.toContain('upstream');
});

/** All texts of a stream under each name, one after the other, and the names themselves. */
const joinedTexts = (text: string): ReadonlyMap<string, string> => {
	const joined = new Map<string, string>();
	const add = (value: unknown, name: string) => {
		if (typeof value === 'string') {
			joined.set(name, `${joined.get(name) ?? ''}${value}`);
		} else if (typeof value === 'object' && value !== null) {
			for (const [inner, one] of Object.entries(value)) {
				joined.set('names', `${joined.get('names') ?? ''} ${inner}`);
				add(one, Array.isArray(value) ? name : inner);
			}
		}
	};
	for (const event of eventsOf(text)) {
		add(event === '[DONE]' ? {} : JSON.parse(event), '');
	}

	return joined;
};

const inPieces = (key: string, deltaOf: (piece: string) => JsonObject | readonly JsonObject[]) =>
	(key.match(/.{1,4}/gs) ?? []).flatMap(deltaOf);

const places: ReadonlyArray<
	readonly [where: string, deltas: (key: string) => readonly JsonObject[]]
> = [
	[
		'in pieces between thoughts',
		key => inPieces(key, content => [{content}, {reasoning_content: '.'}]),
	],
	[
		'in pieces inside of other members',
		key => inPieces(key, text => ({reasoning_details: [{type: 'reasoning.text', text}]})),
	],
	['as the name of a member', key => [{[key]: 'x', content: 'y'}]],
	['as a name inside of another member', key => [{reasoning_details: [{[key]: 1}]}]],
	[
		'in pieces of the name of a call',
		key =>
			inPieces(key, name => ({tool_calls: [{index: 0, id: 'a', function: {name, arguments: ''}}]})),
	],
	['in pieces of a call of before', key => inPieces(key, name => ({function_call: {name}}))],
];

test.for(places)('nor as a stream, %s', async ([, deltas]) => {
	answer = request => {
		sendStream(
			request,
			...deltas(keyOf(request)).map(delta => chunkOf(delta)),
			chunkOf({content: 'Bye'}),
			chunkOf({}, {finishReason: 'stop'}),
			lastEvent,
		);
	};
	const joined = joinedTexts(await ask({stream: true}));
	expect([...joined].filter(([, text]) => text.includes('sk-upstream-'))).toEqual([]);
	expect(joined.get('content')).toContain('Bye');
});

test('nor in names of members, details of usage and logprobs of something else', async () => {
	answer = request => {
		const key = keyOf(request);
		const usage = {prompt_tokens: 1, completion_tokens: 1};
		sendCompletion(
			request,
			{content: 'Hi', [key]: 'x', other: {[key]: 1}},
			{usage: {...usage, completion_tokens_details: {[key]: 1, reasoning_tokens: 1}}},
		);
	};
	const whole = await ask();
	expect(whole).not.toContain('upstream-secret');
	expect(whole).toContain('"completion_tokens_details":{"reasoning_tokens":1}');
	answer = request => {
		const logprobs = {content: [{token: keyOf(request), logprob: 0}]};
		const choices = [{index: 0, delta: {content: 'Hi'}, logprobs}];
		sendStream(
			request,
			`data: ${JSON.stringify({choices})}\n\n`,
			chunkOf({}, {finishReason: 'stop'}),
			lastEvent,
		);
	};
	const streamed = await ask({stream: true, logprobs: true});
	expect(streamed).not.toContain('upstream-secret');
	expect(streamed).toContain('"Hi"');
});

test('nor by an agent, as the name of a tool that its model calls', async () => {
	let asked = 0;
	answer = request => {
		asked++;
		const called = {name: keyOf(request), arguments: '{}'};
		sendStream(
			request,
			chunkOf(
				asked === 1
					? {tool_calls: [{index: 0, id: keyOf(request), type: 'function', function: called}]}
					: {content: 'Bye'},
			),
			chunkOf({}, {finishReason: asked === 1 ? 'tool_calls' : 'stop'}),
			lastEvent,
		);
	};
	const text = await ask({model: 'agent', stream: true});
	expect(text).toContain('tool_started');
	expect(text).toContain('Bye');
	expect(text).not.toContain('upstream-secret');
});

test('what cannot begin a secret is not held back, and the text of others stays as it is', async () => {
	const pieces = ['Par', 'is: ', '"Authorization: Bearer abcdefghijklmnopqrst"', ' sk-', '1'];
	answer = request => {
		sendStream(
			request,
			...pieces.map(content => chunkOf({content}, {})),
			chunkOf({}, {finishReason: 'stop'}),
			lastEvent,
		);
	};
	const choices = choicesOf(await ask({stream: true}));
	expect(choices.map(({delta}) => delta.content).filter(Boolean)).toEqual([
		'Par',
		'is: ',
		'"Authorization: Bearer abcdefghijklmnopqrst"',
		' ',
		'sk-1',
	]);
});

test('the text that logprobs repeat leaves with the text, or not at all', async () => {
	const withLogprobs = (content: string) =>
		`data: ${JSON.stringify({
			choices: [{index: 0, delta: {content}, logprobs: {content: [{token: content, logprob: 0}]}}],
		})}\n\n`;
	answer = request => {
		const key = keyOf(request);
		const pieces = ['We ', 's', 'ay ', key.slice(0, 10), key.slice(10), ' now'];
		sendStream(
			request,
			...pieces.map(withLogprobs),
			chunkOf({}, {finishReason: 'stop'}),
			lastEvent,
		);
	};
	const choices = choicesOf(await ask({stream: true, logprobs: true}));
	const told = choices.flatMap(({delta, logprobs}) =>
		delta.content ? [[delta.content, logprobs?.['content'] ?? null]] : [],
	);
	expect(told).toEqual([
		['We ', [{token: 'We ', logprob: 0}]],
		[
			'say ',
			[
				{token: 's', logprob: 0},
				{token: 'ay ', logprob: 0},
			],
		],
		['[redacted]', null],
		[' now', [{token: ' now', logprob: 0}]],
	]);
});

test('an error that repeats it is redacted, before and in the middle of an answer', async () => {
	answer = request => {
		sendJson(request.response, 400, {error: {message: `Bad key ${keyOf(request)}`}});
	};
	expect(await ask()).toContain('Bad key [redacted]');
	answer = request => {
		const error = {message: `Lost ${keyOf(request)}`};
		sendStream(request, chunkOf({content: 'Well'}), `data: ${JSON.stringify({error})}\n\n`);
	};
	const text = await ask({stream: true});
	expect(text).toContain('Lost [redacted]');
	expect(text).not.toContain('upstream-secret');
});

test('a server that names more than 1,024 texts is not listened to any longer', async () => {
	answer = request => {
		const many = Array.from({length: 1025}, (_, at) => chunkOf({[`part_${at}`]: '.'}));
		sendStream(request, ...many, chunkOf({}, {finishReason: 'stop'}), lastEvent);
	};
	expect(await ask({stream: true})).toContain('it says more than 1024 texts');
});

test('of 1,024 texts inside of other members each goes on', async () => {
	answer = request => {
		const key = keyOf(request);
		const details = (text: string) => ({
			details: Object.fromEntries(Array.from({length: 1024}, (_, at) => [`part_${at}`, text])),
		});
		sendStream(
			request,
			chunkOf(details(key.slice(0, 10))),
			chunkOf(details(key.slice(10))),
			chunkOf({}, {finishReason: 'stop'}),
			lastEvent,
		);
	};
	expect(await ask({stream: true})).not.toContain('secret-0123456789');
});
