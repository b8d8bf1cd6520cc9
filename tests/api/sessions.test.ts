import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {maxMessagesOfSession} from '../../source/store/rules.ts';
import {openSqliteReader} from '../../source/store/sqlite-reader.ts';
import {startApi, type Api} from '../helpers/api.ts';
import {
	beginStream,
	chunkOf,
	lastEvent,
	sendCompletion,
	sendStream,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {messages, startRelay} from '../helpers/relay.ts';
import {startScriptedModel, type ScriptedAnswer} from '../helpers/scripted-model.ts';

/** Asks in a session, and answers which one that was. */
const sayIn = async (
	api: Api,
	session: string,
	{key = api.key, ...body}: {readonly key?: string; readonly [name: string]: unknown},
) => {
	const answer = await api.chat(body, {key, headers: {'x-svc-session': session}});
	return {
		status: answer.status,
		id: answer.headers.get('x-svc-session'),
		text: await answer.text(),
	};
};

const user = (content: string) => ({role: 'user', content});
const assistant = (content: string) => ({role: 'assistant', content});

/** All sessions that the journal has, with messages or without. */
async function stored(api: Api, ...ids: ReadonlyArray<string | null>) {
	await using reader = await openSqliteReader(api.gateway.paths.stateDb);
	return await Promise.all(
		ids.map(async id => (await reader.sessions.messages(id ?? '')).map(({message}) => message)),
	);
}

async function startAgents(answers: readonly ScriptedAnswer[]) {
	await using stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const config = {
		model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
	};
	const api = stack.use(await startApi({}, {config}));
	const opened = stack.move();
	return {model, api, [Symbol.asyncDispose]: async () => opened.disposeAsync()};
}

test('a session goes on: "messages" is what is new, and the model hears all of it', async () => {
	await using agents = await startAgents([{text: 'One'}, {text: 'Two'}, {text: 'Three'}]);
	const {api, model} = agents;
	const ask = {model: 'svc-agent-1', stream: true};
	const first = await sayIn(api, 'new', {
		...ask,
		messages: [{role: 'system', content: 'Be brief'}, user('first')],
	});
	expect(first).toMatchObject({status: 200, id: expect.stringMatching(/^ses_[0-9a-f]{30}$/)});
	const second = await sayIn(api, first.id ?? '', {...ask, messages: [user('second')]});
	expect(second).toMatchObject({status: 200, id: first.id});
	const {body} = await model.request(1);
	expect(body.messages).toEqual([
		{role: 'system', content: 'Be brief'},
		user('first'),
		assistant('One'),
		user('second'),
	]);
	const whole = {...ask, stream: false, messages: [user('third')]};
	expect(await sayIn(api, first.id ?? '', whole)).toMatchObject({status: 200, id: first.id});
	expect(await stored(api, first.id)).toEqual([
		[
			{role: 'system', content: 'Be brief'},
			user('first'),
			assistant('One'),
			user('second'),
			assistant('Two'),
			user('third'),
			assistant('Three'),
		],
	]);
	await using reader = await openSqliteReader(api.gateway.paths.stateDb);
	expect(await reader.sessions.list({limit: 9})).toMatchObject([
		{model: 'svc-agent-1', title: 'first', key: {name: 'test', isTest: false}, messages: 7},
	]);
	const runs = await reader.runs.list({limit: 9});
	expect((await reader.sessions.messages(first.id ?? '')).flatMap(({run}) => run ?? [])).toEqual(
		runs.map(({id}) => id).toReversed(),
	);
});

test('without the header a request is stateless', async () => {
	await using relay = await startRelay();
	const answer = await relay.api.chat({model: 'fast', messages});
	expect(answer.headers.has('x-svc-session')).toBe(false);
	await using reader = await openSqliteReader(relay.api.gateway.paths.stateDb);
	expect(await reader.sessions.list({limit: 9})).toEqual([]);
});

test('a relay works in one, too, with the calls of tools of a stream and without what the model thought', async () => {
	const call = (rest: object) => chunkOf({tool_calls: [{index: 0, ...rest}]});
	await using relay = await startRelay(request => {
		if (request.body.messages.length === 1) {
			sendStream(
				request,
				chunkOf({role: 'assistant', reasoning_content: 'hm', content: 'Let me '}),
				chunkOf({content: 'look'}),
				call({id: 'a', type: 'function', function: {name: 'look', arguments: ''}}),
				call({function: {arguments: '{"x"'}}),
				call({function: {arguments: ':1}'}}),
				chunkOf({tool_calls: [{index: 1, id: 'b', function: {name: 'see', arguments: '{}'}}]}),
				chunkOf({}, {finishReason: 'tool_calls'}),
				lastEvent,
			);
		} else {
			sendCompletion(request, {content: 'Found', reasoning_content: 'hm'});
		}
	});
	const {api, upstream} = relay;
	const {id} = await sayIn(api, 'new', {model: 'fast', messages, stream: true});
	const called = {
		role: 'assistant',
		content: 'Let me look',
		tool_calls: [
			{id: 'a', type: 'function', function: {name: 'look', arguments: '{"x":1}'}},
			{id: 'b', type: 'function', function: {name: 'see', arguments: '{}'}},
		],
	};
	const result = {role: 'tool', tool_call_id: 'a', content: '7'};
	await sayIn(api, id ?? '', {model: 'small', messages: [result]});
	expect(upstream.requests[1]?.body.messages).toEqual([...messages, called, result]);
	expect(await stored(api, id)).toEqual([[...messages, called, result, assistant('Found')]]);
	// The key pays for all that the model read.
	const [key] = await api.gateway.port.listKeys();
	expect(key?.usage.all.requests).toBe(2);
});

test('an identifier that is unknown, malformed or of another key is 404, and says so', async () => {
	await using relay = await startRelay();
	const {api, upstream} = relay;
	const {id} = await sayIn(api, 'new', {model: 'fast', messages});
	const other = await api.makeKey({name: 'other'});
	const asked = {model: 'fast', messages};
	const foreign = await sayIn(api, id ?? '', {...asked, key: other});
	const answers = await Promise.all(
		[
			`ses_${'0'.repeat(30)}`,
			'',
			'New',
			'ses_',
			`${id} `.repeat(2),
			'../x',
			`x${'y'.repeat(4000)}`,
		].map(async session => sayIn(api, session, asked)),
	);
	for (const answer of [foreign, ...answers]) {
		expect(answer).toMatchObject({status: 404, id: null});
		const {error} = JSON.parse(answer.text) as {error: {message: string}};
		expect(error).toMatchObject({
			code: 'session_not_found',
			type: 'invalid_request_error',
			param: null,
		});
		expect(error.message.length).toBeLessThan(250);
	}

	expect(upstream.requests).toHaveLength(1);
	expect(await stored(api, id)).toEqual([[...messages, assistant('Paris')]]);
	// Nobody was asked for anything: it costs no tokens.
	const [key] = await api.gateway.port.listKeys();
	expect(key?.usage.all).toMatchObject({requests: 8, inputTokens: 11});
});

test('a turn that fails, or that its client leaves, leaves nothing of itself', async () => {
	let answer: (request: UpstreamRequest) => void = request => {
		sendCompletion(request, {content: 'Paris'});
	};
	await using relay = await startRelay(request => {
		answer(request);
	});
	const {api, upstream} = relay;
	const {id} = await sayIn(api, 'new', {model: 'fast', messages});
	answer = request => {
		sendStream(request, chunkOf({content: 'half'}), 'data: {"error":"gone"}\n\n');
	};
	const asked = {model: 'fast', messages: [user('more')], stream: true};
	expect((await sayIn(api, id ?? '', asked)).text).toContain('upstream_error');
	// Its identifier was told of with the first word: it is there, and empty.
	const begun = await sayIn(api, 'new', asked);
	const failed = await sayIn(api, 'new', {...asked, stream: false});
	expect(failed).toMatchObject({status: 502, id: null});
	// Nobody was told of that one.
	using database = new DatabaseSync(api.gateway.paths.stateDb, {readOnly: true});
	expect(database.prepare('select id from session order by seq').all()).toEqual([
		{id},
		{id: begun.id},
	]);
	answer = request => {
		beginStream(request, chunkOf({content: 'half'}));
	};
	const leaving = new AbortController();
	const left = await api.chat(asked, {
		signal: leaving.signal,
		headers: {'x-svc-session': id ?? ''},
	});
	await left.body?.getReader().read();
	leaving.abort();
	await upstream.requests.at(-1)?.closed;
	answer = request => {
		sendCompletion(request, {content: 'Rome'});
	};
	const whole = {model: 'fast', messages: [user('again')]};
	let again = await sayIn(api, id ?? '', whole);
	while (again.status === 409) {
		again = await sayIn(api, id ?? '', whole);
	}

	expect(await sayIn(api, begun.id ?? '', whole)).toMatchObject({status: 200});
	expect(await stored(api, id, begun.id)).toEqual([
		[...messages, assistant('Paris'), user('again'), assistant('Rome')],
		[user('again'), assistant('Rome')],
	]);
	expect(upstream.requests.at(-2)?.body.messages).toHaveLength(3);
});

test('two requests at once: the second is 409, and may come again', async () => {
	const waiting = Promise.withResolvers<UpstreamRequest>();
	await using relay = await startRelay(request => {
		if (request.body.messages.at(-1)?.content === 'slow') {
			waiting.resolve(request);
		} else {
			sendCompletion(request, {content: 'Paris'});
		}
	});
	const {api} = relay;
	const {id} = await sayIn(api, 'new', {model: 'fast', messages});
	const slow = sayIn(api, id ?? '', {model: 'fast', messages: [user('slow')]});
	const held = await waiting.promise;
	const second = {model: 'fast', messages: [user('fast')]};
	const refused = await sayIn(api, id ?? '', second);
	expect(refused.status).toBe(409);
	expect(JSON.parse(refused.text)).toMatchObject({error: {code: 'session_busy'}});
	expect((await sayIn(api, 'new', second)).status).toBe(200);
	sendCompletion(held, {content: 'Done'});
	await slow;
	expect((await sayIn(api, id ?? '', second)).status).toBe(200);
	expect((await stored(api, id))[0]?.map(({content}) => content)).toEqual([
		messages[0]?.content,
		'Paris',
		'slow',
		'Done',
		'fast',
		'Paris',
	]);
});

test('one that is full takes no more, and the model is not asked', async () => {
	await using relay = await startRelay();
	const {api, upstream} = relay;
	const big = {
		model: 'fast',
		messages: Array.from({length: maxMessagesOfSession}, () => user('x')),
	};
	const refused = await sayIn(api, 'new', big);
	expect(refused.status).toBe(400);
	expect(JSON.parse(refused.text)).toMatchObject({error: {code: 'session_full'}});
	expect(upstream.requests).toEqual([]);
});

test('an answer that cannot be kept fails, in one piece and as a stream, which never says that it is done', async () => {
	const part = 'x'.repeat(1_000_000);
	await using relay = await startRelay(request => {
		if (request.body.stream === true) {
			const parts = Array.from({length: 5}, () => chunkOf({content: part}));
			sendStream(request, ...parts, chunkOf({}, {finishReason: 'stop'}), lastEvent);
		} else {
			sendCompletion(request, {content: part.repeat(5)});
		}
	});
	const {api} = relay;
	const asked = {model: 'fast', messages};
	expect(await sayIn(api, 'new', asked)).toMatchObject({status: 400, id: null});
	const {id, text} = await sayIn(api, 'new', {...asked, stream: true});
	expect(text.slice(-500)).toContain('"code":"session_full"');
	expect(text.slice(-500)).not.toContain('[DONE]');
	expect(await stored(api, id)).toEqual([[]]);
});

test('those of a test key are its own, and labelled', async () => {
	await using agents = await startAgents([]);
	const {api} = agents;
	const key = await api.makeKey({name: 'ci', kind: 'test'});
	const asked = {model: 'svc-agent-1', messages: [user('hello there')]};
	const {id} = await sayIn(api, 'new', {...asked, key});
	expect(await sayIn(api, id ?? '', {...asked, key})).toMatchObject({status: 200, id});
	expect((await sayIn(api, id ?? '', asked)).status).toBe(404);
	await using reader = await openSqliteReader(api.gateway.paths.stateDb);
	expect(await reader.sessions.list({limit: 9})).toMatchObject([
		{id, key: {name: 'ci', isTest: true}, messages: 4},
	]);
});

test('what was said before counts towards what a budget still allows', async () => {
	await using relay = await startRelay();
	const {api, upstream} = relay;
	const key = await api.makeKey({budget: {tokens: 1500, per: 'day'}});
	const ask = {model: 'fast', max_tokens: 10, key};
	const {id} = await sayIn(api, 'new', {...ask, messages: [user('x'.repeat(4000))]});
	const more = {...ask, messages: [user('x'.repeat(2000))]};
	const refused = await sayIn(api, id ?? '', more);
	expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('budget_exceeded')]);
	expect(upstream.requests).toHaveLength(1);
	// Neither is too much alone, and nothing is held any more.
	expect((await sayIn(api, 'new', more)).status).toBe(200);
	expect((await sayIn(api, id ?? '', {...ask, messages: [user('x')]})).status).toBe(200);
});
