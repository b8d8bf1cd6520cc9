import {once} from 'node:events';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {
	beginStream,
	chunkOf,
	eventsOf,
	lastEvent,
	sendCompletion,
	sendStream,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {startRelay, type Relay} from '../helpers/relay.ts';

/** What the server says where nothing bounds it, in tokens of four characters. */
const answerTokens = 15_000;
const pieceTokens = 25;
const budget = 5000;

let relay: Relay;

beforeAll(async () => {
	relay = await startRelay(async request => {
		const content = JSON.stringify(request.body.messages);
		const {max_tokens: bound = answerTokens} = request.body;
		if (content.includes('use tools')) {
			callTool(request);
		} else if (content.includes('count early')) {
			await sayCounted(request, content.includes('break off'));
		} else if (content.includes('digits')) {
			await sayDigits(request);
		} else {
			await say(request, content.includes('heed') ? Math.min(bound, answerTokens) : answerTokens);
		}
	});
});

afterAll(async () => {
	await relay[Symbol.asyncDispose]();
});

/** Says so many tokens, as a stream or whole; a stream asked to "never end" ends when nobody listens. */
async function say(request: UpstreamRequest, tokens: number) {
	const {response, body} = request;
	const usage = {prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5};
	const finishReason = tokens < answerTokens ? 'length' : 'stop';
	if (body.stream !== true) {
		sendCompletion(request, {content: 'word'.repeat(tokens)}, {finishReason, usage});
		return;
	}

	beginStream(request);
	for (let said = 0; said < tokens && !response.closed; said += pieceTokens) {
		const content = 'word'.repeat(Math.min(pieceTokens, tokens - said));
		if (!response.write(chunkOf({content}))) {
			// oxlint-disable-next-line no-await-in-loop -- no faster than it is read
			await Promise.race([once(response, 'drain'), request.closed]);
		}
	}

	if (JSON.stringify(body.messages).includes('never end')) {
		await request.closed;
	}

	response.end(chunkOf({}, {finishReason, usage}) + lastEvent);
}

/** A step of 2,000 tokens that wants another one. */
const callTool = (request: UpstreamRequest) => {
	const called = {name: 'no_such_tool', arguments: '{}'};
	sendStream(
		request,
		chunkOf({tool_calls: [{index: 0, id: 'a', type: 'function', function: called}]}),
		chunkOf({}, {finishReason: 'tool_calls', usage: {prompt_tokens: 1500, completion_tokens: 500}}),
		lastEvent,
	);
};

/** Counts its first piece, and nothing of the 1,000 tokens that follow. */
async function sayCounted(request: UpstreamRequest, breaksOff: boolean) {
	const usage = {prompt_tokens: 5, completion_tokens: 1};
	beginStream(request, chunkOf({content: 'word'}, {usage}), chunkOf({content: 'word'.repeat(999)}));
	await (breaksOff && request.closed);
	request.response.end(chunkOf({}, {finishReason: 'stop'}) + lastEvent);
}

/** A token in each piece, of one byte each, until nobody listens. */
async function sayDigits({response, ...request}: UpstreamRequest) {
	beginStream({response, ...request});
	for (let said = 0; said < 4 * budget && !response.closed; said++) {
		if (!response.write(chunkOf({content: '7'}))) {
			// oxlint-disable-next-line no-await-in-loop -- no faster than it is read
			await Promise.race([once(response, 'drain'), request.closed]);
		}
	}

	response.end(chunkOf({}, {finishReason: 'stop'}) + lastEvent);
}

const ofDay = (tokens: number) => ({budget: {tokens, per: 'day' as const}});

/** What the key that was made last has used, in tokens. */
const usedByLast = async () => {
	const key = (await relay.api.gateway.port.listKeys()).at(-1);
	const {inputTokens = 0, outputTokens = 0} = key?.usage.all ?? {};
	return inputTokens + outputTokens;
};

const messagesOf = (content: string) => [{role: 'user', content}];

const lastOf = (text: string): JsonObject => JSON.parse(eventsOf(text).at(-1) ?? '') as JsonObject;

const bodies: ReadonlyArray<readonly [name: string, body: JsonObject]> = [
	['a relay that streams', {model: 'fast', stream: true}],
	['a relay that answers whole', {model: 'fast'}],
	['an agent that streams', {model: 'agent', stream: true}],
	['an agent that answers whole', {model: 'agent'}],
];
const bounds: ReadonlyArray<readonly [name: string, bound: JsonObject]> = [
	['without max_tokens', {}],
	['with max_tokens: 10', {max_tokens: 10}],
	['with max_tokens: 8000', {max_tokens: 8000}],
];

describe('twelve requests at once of a key with 5,000 tokens a day', () => {
	const rows = bodies.flatMap(([name, body]) =>
		bounds.flatMap(([bound, more]) =>
			['heeds', 'ignores'].map(
				kind =>
					[`${name}, ${bound}, of a server that ${kind} it`, kind, {...body, ...more}] as const,
			),
		),
	);
	test.for(rows)('%s', async ([, kind, body], {annotate}) => {
		const {api} = relay;
		const key = await api.makeKey(ofDay(budget));
		const messages = messagesOf(kind === 'heeds' ? 'heed it, please' : 'go on for ever');
		await Promise.all(
			Array.from({length: 12}, async () => {
				const answer = await api.chat({...body, messages}, {key});
				await answer.text();
			}),
		);
		const used = await usedByLast();
		await annotate(`${used} of ${budget} tokens`);
		expect(used).toBeGreaterThan(0);
		// An answer in one piece that heeds no bound can be counted when it is there, and not before.
		const isLate = kind === 'ignores' && body['model'] === 'fast' && body['stream'] !== true;
		expect(used).toBeLessThanOrEqual(isLate ? 12 * (answerTokens + 5) : budget * 1.01);
	});
});

test('a client that asks for more than is left gets what is left, in its own field, and a refusal when that is nothing', async () => {
	const {api, upstream} = relay;
	const key = await api.makeKey(ofDay(100));
	const ask = async (more: JsonObject) =>
		api.chat({model: 'fast', messages: messagesOf('heed it, please'), ...more}, {key});
	const first = await ask({max_completion_tokens: 60, max_tokens: 60});
	expect(await first.json()).toMatchObject({
		choices: [{finish_reason: 'length'}],
		usage: {completion_tokens: 60},
	});
	expect(upstream.requests.at(-1)?.body).toMatchObject({
		max_tokens: 60,
		max_completion_tokens: 60,
	});
	const second = await ask({max_tokens: 5000, stream: true});
	expect(lastOf((await second.text()).replace('data: [DONE]\n\n', ''))).toMatchObject({
		choices: [{finish_reason: 'length'}],
	});
	const {body} = upstream.requests.at(-1) ?? {};
	expect(body).toMatchObject({max_tokens: 31});
	expect(body).not.toHaveProperty('max_completion_tokens');

	const asked = upstream.requests.length;
	const refused = await ask({max_tokens: 1});
	expect([refused.status, await refused.json()]).toMatchObject([
		429,
		{error: {type: 'insufficient_quota', code: 'budget_exceeded'}},
	]);
	expect(refused.headers.get('x-should-retry')).toBe('false');
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
	expect(upstream.requests).toHaveLength(asked);
});

test('a stream for which nothing is left ends with an error, and its model is asked no more', async () => {
	const {api, upstream} = relay;
	const key = await api.makeKey(ofDay(500));
	const messages = messagesOf('never end, please');
	const answer = await api.chat({model: 'fast', messages, stream: true, max_tokens: 50}, {key});
	const text = await answer.text();
	expect(text).not.toContain('[DONE]');
	expect(lastOf(text)).toMatchObject({
		error: {type: 'insufficient_quota', code: 'budget_exceeded', param: null},
	});
	expect(await upstream.requests.at(-1)?.closed).toBe(true);

	const other = await api.makeKey(ofDay(500));
	const response = await api.respond(
		{model: 'fast', input: 'go on for ever', stream: true},
		{key: other},
	);
	expect(await response.text()).toMatch(/response\.failed[^]*budget_exceeded/);
	expect(upstream.requests.at(-1)?.body).toMatchObject({max_tokens: 496});
});

test('an agent is asked before each of its steps, and ends when nothing is left', async () => {
	const {api, upstream} = relay;
	const before = upstream.requests.length;
	const key = await api.makeKey(ofDay(budget));
	const answer = await api.chat({model: 'agent', messages: messagesOf('use tools')}, {key});
	expect([answer.status, await answer.json()]).toMatchObject([
		429,
		{error: {code: 'budget_exceeded'}},
	]);
	expect(answer.headers.get('x-should-retry')).toBe('false');
	// The third step is one for which something was left.
	expect(upstream.requests).toHaveLength(before + 3);
	expect(upstream.requests.at(-1)?.body.max_tokens).toBeLessThan(1000);
	expect(await usedByLast()).toBe(6000);
	const [run] = await api.gateway.port.listRuns({limit: 1});
	expect(run).toMatchObject({state: 'failed', error: expect.stringContaining('budget')});
});

/** Reads of an answer until it has so many characters, and leaves. */
async function leaveAfter(answer: Response, characters: number) {
	let read = 0;
	for await (const part of answer.body ?? []) {
		read += part.length;
		if (read >= characters) {
			return;
		}
	}
}

/** What the key that was made last has used, when a request of it has ended. */
const usedAtEnd = async () => {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until the request has ended
		const key = (await relay.api.gateway.port.listKeys()).at(-1);
		if (key && key.usage.all.requests > 0) {
			return key.usage.all;
		}

		// oxlint-disable-next-line no-await-in-loop -- as above
		await new Promise(setImmediate);
	}
};

test.for([
	['fast', 'to its end'],
	['agent', 'to its end'],
	['fast', 'until its client leaves'],
	['agent', 'until its client leaves'],
] as const)(
	'%s: a count of the first piece alone is none of the answer, which is read %s',
	async ([model, how]) => {
		const {api} = relay;
		const key = await api.makeKey(ofDay(budget));
		const leaves = how !== 'to its end';
		const messages = messagesOf(`count early${leaves ? ' and break off' : ''}`);
		const answer = await api.chat({model, messages, stream: true}, {key});
		// An agent holds back the last letters, in which a secret may begin.
		await leaveAfter(answer, leaves ? 3000 : Infinity);
		expect((await usedAtEnd()).outputTokens).toBe(1000);
	},
);

test.for(['fast', 'agent'])('%s: each piece of a stream is at least one token', async model => {
	const {api} = relay;
	const key = await api.makeKey(ofDay(budget));
	const answer = await api.chat({model, messages: messagesOf('digits'), stream: true}, {key});
	const digits = eventsOf(await answer.text()).flatMap(
		event => (JSON.parse(event) as {choices?: [{delta: {content?: string}}]}).choices ?? [],
	);
	const said = digits.map(({delta}) => delta.content ?? '').join('');
	expect(said.length).toBeGreaterThan(budget / 2);
	expect(said.length).toBeLessThanOrEqual(budget);
	expect((await usedAtEnd()).outputTokens).toBeGreaterThanOrEqual(said.length);
});

const long = 'word'.repeat(budget);
test.for<[where: string, body: JsonObject]>([
	['a name', {messages: [{role: 'user', content: 'hi', name: long}]}],
	['thoughts', {messages: [{role: 'user', content: 'hi', reasoning_content: long}]}],
	['a refusal', {messages: [{role: 'assistant', content: 'hi', refusal: long}]}],
	['a part', {messages: [{role: 'user', content: [{type: 'text', text: 'hi', more: long}]}]}],
	['a prediction', {messages: messagesOf('hi'), prediction: {type: 'content', content: long}}],
])('what the model is told in %s is estimated, too', async ([, body]) => {
	const {api, upstream} = relay;
	const asked = upstream.requests.length;
	const key = await api.makeKey(ofDay(budget));
	const answer = await api.chat({model: 'fast', ...body}, {key});
	expect([answer.status, await answer.json()]).toMatchObject([
		429,
		{error: {code: 'budget_exceeded'}},
	]);
	expect(upstream.requests).toHaveLength(asked);
});
