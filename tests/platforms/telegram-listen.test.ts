import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {pollWhile} from '../../source/platforms/connection.ts';
import {messageIn, pressIn} from '../../source/platforms/telegram/inbound.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {testApprovals, type Place} from './approval-contract.ts';
import {liveThrough} from './live-through.ts';
import {createHeard, openListener} from './open-listener.ts';
import {openService, type Reply} from './service.ts';

const token = '123456:AAE-telegram-token_0123456789';
const us = 7001;
const allowedUpdates = '["message","callback_query"]';

const failed = (error_code: number, description: string): Reply => ({
	status: error_code,
	json: {ok: false, error_code, description},
});

const succeeded = (result: JsonValue): Reply => ({status: 200, json: {ok: true, result}});

const overtaken = failed(
	409,
	'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
);

/** The Bot API with its queue of updates, as the server of Telegram keeps it. */
async function openTelegram(bot: JsonObject = {}) {
	let queue: Array<{readonly id: number; readonly update: JsonObject}> = [];
	let last = 592_426_180;
	let webhook = '';
	let polling: PromiseWithResolvers<Reply | undefined> | undefined;
	const told: Array<readonly [query: string, text: string]> = [];
	const queries = new Set<string>();

	const poll = async (
		{offset, limit, timeout}: Readonly<Record<'offset' | 'limit' | 'timeout', number>>,
		gone: AbortSignal,
	): Promise<Reply> => {
		// Of two polls the later one is served.
		polling?.resolve(overtaken);
		if (offset < 0) {
			queue = queue.slice(offset);
		} else if (offset <= last + 11) {
			queue = queue.filter(({id}) => id >= offset);
		}

		if (queue.length === 0 && timeout > 0) {
			const own = Promise.withResolvers<Reply | undefined>();
			polling = own;
			gone.addEventListener('abort', () => {
				own.resolve(undefined);
			});
			const refusal = await own.promise;
			polling = polling === own ? undefined : polling;
			if (refusal) {
				return refusal;
			}
		}

		return succeeded(queue.slice(0, limit).map(({update}) => update));
	};

	const service = await openService(
		async ({method, path, query, body}, gone) => {
			assert.ok(path.startsWith(`/bot${token}/`));
			const name = path.split('/').at(-1);
			if (name === 'answerCallbackQuery') {
				assert.equal(method, 'POST');
				const {callback_query_id: id, text} = body as {callback_query_id: string; text: string};
				assert.ok(text.length <= 200);
				if (!queries.delete(id)) {
					return failed(400, 'Bad Request: query is too old and response timeout expired');
				}

				told.push([id, text]);
				return succeeded(true);
			}

			assert.equal(method, 'GET');
			if (name === 'getMe') {
				return succeeded({
					id: us,
					is_bot: true,
					username: 'Svc_Bot',
					can_read_all_group_messages: true,
					...bot,
				});
			}

			if (name === 'getWebhookInfo') {
				return succeeded({url: webhook, pending_update_count: queue.length});
			}

			assert.equal(name, 'getUpdates');
			assert.equal(query['allowed_updates'], allowedUpdates);
			const [offset, limit, timeout] = ['offset', 'limit', 'timeout'].map(key =>
				Number(query[key]),
			);
			assert.ok(Number.isSafeInteger(offset) && limit && limit >= 1 && limit <= 100);
			assert.ok(timeout === 0 || timeout === 50);
			return poll({offset: offset ?? 0, limit, timeout}, gone);
		},
		({path}) => path.endsWith('/getUpdates'),
	);
	const push = (more: JsonObject) => {
		last += 1;
		queue.push({id: last, update: {update_id: last, ...more}});
		polling?.resolve(undefined);
	};
	let messageId = 40;
	return {
		...service,
		told,
		push,
		polls: () => service.calls.filter(({path}) => path.endsWith('/getUpdates')),
		written: {bot_token: token, api_base: service.url},
		/** Somebody writes. */
		write(text: string, more: JsonObject = {}) {
			messageId += 1;
			push({message: message(messageId, {text, ...more})});
		},
		/** Somebody presses a button. */
		press(id: string, data: string, more: JsonObject = {}) {
			queries.add(id);
			push({
				callback_query: {
					id,
					from: ann,
					chat_instance: '-5',
					data,
					message: {message_id: 12, date: 0, chat: {id: 99, type: 'private'}},
					...more,
				},
			});
		},
		setWebhook(url: string) {
			webhook = url;
		},
		/** The server loses its count, as after a move to another one. */
		countFrom(id: number) {
			queue = [];
			last = id;
		},
		/** Another program asks. */
		conflict() {
			polling?.resolve(overtaken);
		},
	};
}

const ann = {id: 99, is_bot: false, first_name: 'Ann', last_name: 'Lee', username: 'ann'};
const group = {id: -1001234, type: 'supergroup', title: 'Ops'};

const message = (message_id: number, more: JsonObject = {}): JsonObject => ({
	message_id,
	from: ann,
	chat: {id: 99, type: 'private', first_name: 'Ann'},
	date: 1_700_000_100,
	...more,
});

/** A telegram and what listens to it, which has begun. */
async function openBoth({
	cursor = {account: String(us), offset: 0},
	written = {},
	bot = {},
	onPress,
}: {
	readonly cursor?: JsonValue;
	readonly written?: JsonObject;
	readonly bot?: JsonObject;
	readonly onPress?: () => Promise<string>;
} = {}) {
	const telegram = await openTelegram(bot);
	const heard = createHeard();
	heard.cursor = cursor;
	const open = await openListener(
		'telegram',
		{...telegram.written, ...written},
		{heard, ...(onPress && {onPress})},
	);
	return {
		telegram,
		heard,
		open,
		async [Symbol.asyncDispose]() {
			await open[Symbol.asyncDispose]();
			await telegram[Symbol.asyncDispose]();
		},
	};
}

test('200 messages over 20 breaks of all kinds arrive in order, and once on disk', async () => {
	await using telegram = await openTelegram();
	const chats = ['99', '-1001234', '-55'];
	const refusals: readonly Reply[] = [
		failed(502, 'Bad Gateway'),
		failed(429, 'Too Many Requests: retry after 3'),
		overtaken,
		{status: 200, text: '<html>'},
		{status: 200, text: '{"ok":true}'},
		{status: 200, text: '{"ok":true,"result":[{"message":{}}]}'},
	];
	const {numbers, inOrder, final} = await liveThrough('telegram', {
		written: telegram.written,
		chats,
		write(chat, text) {
			telegram.write(text, {chat: {id: Number(chat), type: 'supergroup'}});
		},
		endings: [
			() => {
				telegram.cut();
			},
			() => {
				telegram.react('breaks');
			},
			() => {
				telegram.reactToChecks('breaks');
				telegram.cut();
			},
			...refusals.map(reply => () => {
				telegram.react(reply);
			}),
		],
		isUp: async () => telegram.sent(telegram.polls().length),
	});
	expect(numbers).toEqual(inOrder);
	expect([final, telegram.faults]).toEqual([[], []]);
});

test.for([
	['a first start', undefined],
	['the first start of another bot', {account: '7002', offset: 0}],
] as const)(
	'%s answers nothing that is there, and everything that comes then',
	async ([, cursor]) => {
		await using telegram = await openTelegram();
		telegram.write('old');
		telegram.write('older than the start');
		const heard = createHeard();
		heard.cursor = cursor;
		await using open = await openListener('telegram', telegram.written, {heard});
		void open.listen();
		await open.until(() => heard.notes.length > 0);
		expect(heard.messages.size).toBe(0);
		telegram.write('new');
		await open.until(() => heard.messages.size > 0);
		expect([...heard.messages.values()]).toEqual([
			{
				id: '99/43',
				chat: '99',
				user: '99',
				name: 'Ann Lee',
				text: 'new',
				isDirect: true,
				isForUs: false,
				answer: {},
			},
		]);
		expect(heard.cursor).toEqual({account: String(us), offset: 592_426_184});
		expect(telegram.faults).toEqual([]);
	},
);

test('nothing is confirmed that could not be written', async () => {
	await using both = await openBoth();
	const {telegram, heard, open} = both;
	telegram.write('one');
	heard.failures.push(new Error('no space left on device'));
	await expect(open.listen()).rejects.toThrow('no space left on device');
	expect(telegram.polls().map(({query}) => query['offset'])).toEqual(['0']);

	void open.listen();
	await open.until(() => heard.messages.size === 1);
	expect(heard.again).toEqual([]);
});

test.for([0, 1, 2, 3])('a write that fails loses nothing: that with number %i', async nth => {
	await using both = await openBoth();
	const {telegram, heard, open} = both;
	// Those before it succeed.
	heard.failures.push(...Array.from<Error>({length: nth}), new Error('no space left on device'));
	const ending = new AbortController();
	const run = async () => {
		while (!ending.signal.aborted) {
			// oxlint-disable-next-line no-await-in-loop -- one connection after the other
			await open.listen(ending.signal).catch(() => {});
		}
	};
	const running = run();
	for (const text of ['one', 'two', 'three']) {
		const count = heard.messages.size;
		telegram.write(text);
		// oxlint-disable-next-line no-await-in-loop -- in their order
		await open.until(() => heard.messages.size > count);
	}

	ending.abort();
	await running;
	expect([...heard.messages.values()].map(({text}) => text)).toEqual(['one', 'two', 'three']);
});

test('a bot with a webhook is left alone: no retry, and the message names its host and no more', async () => {
	await using both = await openBoth();
	both.telegram.setWebhook(`https://hooks.example.org/${token}`);
	const failure = await both.open.listen().catch((error: unknown) => error);
	expect(failure).toMatchObject({code: 'platform_rejected', retryable: false});
	expect(String(failure)).toContain('(hooks.example.org)');
	expect(String(failure)).not.toContain(token);
	expect(both.telegram.calls.map(({path}) => path.split('/').at(-1))).toEqual([
		'getMe',
		'getWebhookInfo',
	]);
});

test('a second poller ends the connection, for 30 s', async () => {
	await using both = await openBoth();
	const ended = both.open.listen().catch((error: unknown) => error);
	await both.open.until(() => both.heard.notes.length > 0);
	both.telegram.write('one');
	await both.open.until(() => both.heard.messages.size === 1);
	// Again it waits.
	both.telegram.write('two');
	await both.open.until(() => both.heard.messages.size === 2);
	both.telegram.react(overtaken);
	both.telegram.write('three');
	expect(await ended).toMatchObject({
		code: 'platform_failed',
		retryable: true,
		retryAfterMs: 30_000,
	});
});

test.for<[string, Reply, JsonObject]>([
	['a token that is none', failed(401, 'Unauthorized'), {code: 'platform_unauthorized'}],
	['a path that has no token', failed(404, 'Not Found'), {code: 'platform_unauthorized'}],
	['a 404 of another API', failed(404, 'no such backend'), {code: 'platform_rejected'}],
	['a 404 of what is in front of it', {status: 404, text: 'no'}, {retryable: true}],
	['no bot', succeeded({}), {code: 'platform_failed', retryable: true}],
	['no answer of the API', {status: 200, text: '[]'}, {code: 'platform_failed', retryable: true}],
	[
		'a rate limit',
		{...failed(429, 'Too Many Requests'), headers: {'retry-after': '7'}},
		{code: 'platform_rate_limited', retryAfterMs: 7000},
	],
])('%s is a failure that says so', async ([, reply, failure]) => {
	await using both = await openBoth();
	both.telegram.reactToChecks(reply);
	await expect(both.open.listen()).rejects.toMatchObject(failure);
	expect(both.heard.notes).toEqual([]);
});

test('a request without an answer ends after its time; aborting ends a connection at once', async () => {
	await using both = await openBoth();
	const {open, heard, telegram} = both;
	const ending = new AbortController();
	const ended = open.listen(ending.signal);
	await open.until(() => heard.notes.length > 0);
	ending.abort();
	await ended;
	expect(open.clock.timersLeft).toBe(0);

	telegram.react('hangs');
	const unanswered = open.listen().catch((error: unknown) => error);
	await telegram.sent(telegram.polls().length + 1);
	open.clock.advance(10_000);
	expect(await unanswered).toMatchObject({code: 'platform_unreachable', retryable: true});
});

test('a server that has lost its count is followed', async () => {
	await using both = await openBoth({cursor: {account: String(us), offset: 760_546_623}});
	const {telegram, heard, open} = both;
	telegram.countFrom(1000);
	telegram.write('one');
	void open.listen();
	await open.until(() => heard.messages.size === 1);
	expect(heard.cursor).toEqual({account: String(us), offset: 1002});
	telegram.write('two');
	await open.until(() => heard.messages.size === 2);
});

test('a server that has nothing and does not wait is asked once a second', async () => {
	const clock = createFakeClock();
	const paused = Promise.withResolvers<void>();
	const ending = new AbortController();
	let asked = 0;
	const ended = pollWhile(
		'telegram',
		{
			clock: {
				...clock,
				after(ms, callback) {
					expect(ms).toBe(1000);
					paused.resolve();
					return clock.after(ms, callback);
				},
			},
			signal: ending.signal,
		},
		async () => async () => {
			asked += 1;
			return asked < 5;
		},
	);
	await paused.promise;
	expect(asked).toBe(5);
	ending.abort();
	await ended;
	expect(clock.timersLeft).toBe(0);
});

testApprovals({
	kind: 'telegram',
	people: {approver: '99', talker: '5', outsider: '7'},
	places: [
		{here: {chat: '99', isDirect: true}, elsewhere: {chat: '5', isDirect: true}},
		{here: {chat: '-1001234', isDirect: false}, elsewhere: {chat: '-55', isDirect: false}},
	],
	async open() {
		const telegram = await openTelegram();
		const chatOf = ({chat, isDirect}: Place) => ({
			id: Number(chat),
			type: isDirect ? 'private' : 'supergroup',
		});
		const from = (user: string) => ({id: Number(user), is_bot: false, first_name: `P${user}`});
		let presses = 0;
		return {
			...telegram,
			write(place, user, text) {
				telegram.write(text, {from: from(user), chat: chatOf(place)});
			},
			press(place, user, data) {
				presses += 1;
				// The message of the request is the bot's.
				const asked = message(12, {from: {id: us, is_bot: true}, chat: chatOf(place)});
				telegram.press(`q${presses}`, data, {from: from(user), message: asked});
			},
		};
	},
});

test('presses stand between the messages where they came, and are answered', async () => {
	await using both = await openBoth({onPress: async () => `Allowed. ${'x'.repeat(300)}`});
	const {telegram, heard, open} = both;
	telegram.write('before');
	telegram.press('q1', 'approve K7QF');
	telegram.press('q2', 'deny K7QF', {
		message: {message_id: 5, chat: group, is_topic_message: true, message_thread_id: 17},
	});
	telegram.press('q3', '');
	telegram.press('q4', 'approve K7QF', {message: null, inline_message_id: 'i'});
	telegram.write('after');
	void open.listen();
	await open.until(() => heard.messages.size === 2);
	telegram.write('then');
	await open.until(() => heard.messages.size === 3);
	const presser = {user: '99', name: 'Ann Lee'};
	expect(heard.presses).toEqual([
		{chat: '99', ...presser, data: 'approve K7QF'},
		{chat: '-1001234', thread: '17', ...presser, data: 'deny K7QF'},
	]);
	expect(telegram.told).toEqual(
		expect.arrayContaining([
			['q1', `Allowed. ${'x'.repeat(191)}`],
			['q2', `Allowed. ${'x'.repeat(191)}`],
		]),
	);
	expect(telegram.told).toHaveLength(2);
	expect(telegram.faults).toEqual([]);
});

test('a press that could not be written is not confirmed, and comes again', async () => {
	let isFull = true;
	await using both = await openBoth({
		async onPress() {
			if (isFull) {
				isFull = false;
				throw new Error('no space left on device');
			}

			return 'Allowed';
		},
	});
	const {telegram, heard, open} = both;
	telegram.write('before');
	telegram.press('q1', 'approve K7QF');
	await expect(open.listen()).rejects.toThrow('no space left on device');
	expect(heard.cursor).toEqual({account: String(us), offset: 0});
	void open.listen();
	await open.until(() => heard.presses.length === 2);
	telegram.write('after');
	await open.until(() => heard.messages.size === 2);
	expect(telegram.told).toEqual([['q1', 'Allowed']]);
	expect(heard.again).toEqual(['99/41']);
});

test.for<[string, JsonObject, JsonObject, string]>([
	[
		'privacy mode matters where all is heard',
		{can_read_all_group_messages: false},
		{group_mention: false},
		'privacy mode is on',
	],
	[
		'privacy mode does not matter where mentions count',
		{can_read_all_group_messages: false},
		{},
		'none',
	],
	['a bot without it has no note', {}, {group_mention: false}, 'none'],
])('%s', async ([, bot, written, note]) => {
	await using both = await openBoth({bot, written});
	void both.open.listen();
	await both.open.until(() => both.heard.notes.length > 0);
	expect(both.heard.notes[0] ?? 'none').toContain(note);
});

const ours = {id: String(us), mention: '@svc_bot'};

const read = (more: JsonObject) => messageIn({update_id: 1, message: message(41, more)}, ours);

const entity = (
	type: string,
	[offset, length]: readonly [number, number],
	more: JsonObject = {},
) => ({
	type,
	offset,
	length,
	...more,
});

const bot = {id: us, is_bot: true, first_name: 'Svc', username: 'svc_bot'};
const bob = {id: 5, is_bot: false, first_name: 'Bob'};

describe('a message', () => {
	test.for<[string, JsonObject]>([
		['of a bot', {text: 'x', from: {...bob, is_bot: true}}],
		['of ours', {text: 'x', from: bot}],
		['of a channel', {text: 'x', chat: {id: -5, type: 'channel'}}],
		['of an administrator without a name', {text: 'x', chat: group, sender_chat: group}],
		['without a sender', {text: 'x', from: null}],
		['with a sender who has no number', {text: 'x', from: {id: '99'}}],
		['with a number that is not exact', {text: 'x', from: {id: 2 ** 60}}],
		['without a chat', {text: 'x', chat: []}],
		['that is a picture', {photo: [{file_id: 'a'}]}],
		['that is blank', {text: ' \n'}],
		['about the group', {migrate_to_chat_id: -1001234, chat: {id: -55, type: 'group'}}],
		['that only names us', {text: '@svc_bot', entities: [entity('mention', [0, 8])], chat: group}],
	])('%s is not handed over', ([, more]) => {
		expect(read(more)).toBeUndefined();
	});

	test.for<[string, JsonObject, JsonObject]>([
		['a caption', {caption: 'look', photo: []}, {text: 'look'}],
		[
			'a long text',
			{text: `${'a'.repeat(99_999)}\u{1f600}`},
			{text: `${'a'.repeat(99_999)}\ufffd`},
		],
		['no name', {text: 'x', from: {id: 3}}, {user: '3', name: 'none'}],
		[
			'a group',
			{text: 'x', chat: group},
			{chat: '-1001234', isDirect: false, isForUs: false, answer: {reply_to: '41'}},
		],
		[
			'a topic',
			{text: 'x', chat: group, is_topic_message: true, message_thread_id: 17},
			{thread: '17', answer: {thread_id: '17', reply_to: '41'}},
		],
		[
			'answers to answers, which are no topic',
			{text: 'x', chat: group, message_thread_id: 17},
			{thread: 'none', answer: {reply_to: '41'}},
		],
	])('has %s', ([, more, expected]) => {
		const {thread = 'none', name = 'none', ...others} = read(more) ?? {};
		expect({...others, thread, name}).toMatchObject(expected);
	});

	test.for<[string, string, JsonObject[], string, boolean]>([
		['a mention', '@Svc_Bot, hello', [entity('mention', [0, 8])], 'hello', true],
		['a mention later', 'hello @svc_bot', [entity('mention', [6, 8])], 'hello @svc_bot', true],
		[
			'a mention behind a pair',
			'\u{1f600} @svc_bot',
			[entity('mention', [3, 8])],
			'\u{1f600} @svc_bot',
			true,
		],
		['another name', '@svc_bots hi', [entity('mention', [0, 9])], '@svc_bots hi', false],
		['a name that is no entity', '@svc_bot hi', [], '@svc_bot hi', false],
		['a linked name', 'Svc: hi', [entity('text_mention', [0, 3], {user: bot})], 'hi', true],
		[
			'a linked name of another',
			'Bob hi',
			[entity('text_mention', [0, 3], {user: bob})],
			'Bob hi',
			false,
		],
		['a command of ours', '/new@Svc_Bot now', [entity('bot_command', [0, 12])], '/new now', true],
		[
			'a command of another',
			'/new@other_bot',
			[entity('bot_command', [0, 14])],
			'/new@other_bot',
			false,
		],
		['a command', '/new', [entity('bot_command', [0, 4])], '/new', false],
		[
			'a mention before a command',
			'@svc_bot /new@svc_bot',
			[entity('mention', [0, 8]), entity('bot_command', [9, 12])],
			'/new',
			true,
		],
		[
			'entities that are none',
			'hi',
			[entity('mention', [-3, 8]), entity('mention', [0, 1e9]), {}],
			'hi',
			false,
		],
	])('with %s', ([, text, entities, left, isForUs]) => {
		expect(read({text, entities, chat: group})).toMatchObject({text: left, isForUs});
	});

	test.for<[string, JsonObject, JsonValue, boolean]>([
		[
			'another one',
			{reply_to_message: {from: bob, text: 'their words'}},
			{author: 'Bob', text: 'their words'},
			false,
		],
		[
			'a part of it',
			{reply_to_message: {from: bob, text: 'their words'}, quote: {text: 'words'}},
			{author: 'Bob', text: 'words'},
			false,
		],
		['ours', {reply_to_message: {from: bot, text: 'our words'}}, null, true],
		[
			'a long caption of a channel',
			{
				reply_to_message: {
					from: {id: 777_000},
					sender_chat: {id: -7, title: 'News'},
					caption: 'y'.repeat(5000),
				},
			},
			{author: 'News', text: 'y'.repeat(4000)},
			false,
		],
		['a picture', {reply_to_message: {from: bob, photo: []}}, null, false],
		[
			'the beginning of its topic, which is no answer',
			{
				is_topic_message: true,
				message_thread_id: 17,
				reply_to_message: {message_id: 17, from: bot, forum_topic_created: {}},
			},
			null,
			false,
		],
		[
			'one of another chat',
			{
				external_reply: {origin: {type: 'hidden_user', sender_user_name: 'Eve'}},
				quote: {text: 'far'},
			},
			{author: 'Eve', text: 'far'},
			false,
		],
	])('that answers %s', ([, more, quote, isForUs]) => {
		const heard = read({text: 'x', chat: group, ...more});
		expect(heard).toMatchObject({text: 'x', isForUs});
		expect(heard?.quote ?? null).toEqual(quote);
	});

	test('that is forwarded is a quote of its author: nobody approves with the words of others', () => {
		const forwarded = (origin: JsonObject) => read({text: 'approve K7QF', forward_origin: origin});
		expect(forwarded({type: 'user', sender_user: bob})).toMatchObject({
			text: '',
			quote: {author: 'Bob', text: 'approve K7QF'},
		});
		expect(forwarded({type: 'channel', chat: {id: -7, title: 'News'}})).toMatchObject({
			text: '',
			quote: {author: 'News', text: 'approve K7QF'},
		});
		expect(forwarded({type: 'user', sender_user: ann})).toMatchObject({text: 'approve K7QF'});
		expect(forwarded({type: 'user', sender_user: bot})).toBeUndefined();
	});
});

const strange = fc.oneof(
	fc.jsonValue(),
	fc.constantFrom<JsonValue>('__proto__', 'constructor', {}, [], 2 ** 60, -1, 'x'.repeat(200_000)),
) as fc.Arbitrary<JsonValue>;

const whole: JsonObject = {
	message: message(41, {
		text: '@svc_bot hello /new@svc_bot',
		entities: [entity('mention', [0, 8]), entity('bot_command', [15, 12])],
		is_topic_message: true,
		message_thread_id: 17,
		reply_to_message: {message_id: 3, from: bob, text: 'their words'},
		forward_origin: {type: 'user', sender_user: bob},
		external_reply: {origin: {chat: group}},
		quote: {text: 'words'},
		chat: group,
	}),
	callback_query: {id: 'q', from: ann, data: 'approve K7QF', message: message(3)},
};

/** All places in a value. */
const placesIn = (value: JsonValue): ReadonlyArray<readonly string[]> =>
	typeof value === 'object' && value !== null
		? Object.entries<JsonValue>(value as JsonObject).flatMap(([key, inner]) => [
				[key],
				...placesIn(inner).map(place => [key, ...place]),
			])
		: [];

/** `value` with something else at a place, where that is still there. */
function withAt(value: JsonValue, [key, ...rest]: readonly string[], other: JsonValue): JsonValue {
	if (key === undefined) {
		return other;
	}

	const isList = Array.isArray(value);
	if (typeof value !== 'object' || value === null || (isList && !/^\d$/.test(key))) {
		return value;
	}

	const copy = structuredClone(value) as Record<string, JsonValue>;
	copy[key] = withAt(copy[key] ?? null, rest, other);
	return copy;
}

const broken = fc
	.array(fc.tuple(fc.constantFrom(...placesIn(whole)), strange), {minLength: 1, maxLength: 4})
	.map(changes =>
		changes.reduce<JsonObject>(
			(update, [place, other]) => withAt(update, place, other) as JsonObject,
			whole,
		),
	);

test('broken updates make nothing that is broken, and hide none of their neighbours', async () => {
	fc.assert(
		fc.property(broken, update => {
			const heard = messageIn(update, ours);
			const pressed = pressIn(update);
			for (const [value, form] of [
				[heard?.chat ?? pressed?.press.chat ?? '1', /^-?\d{1,16}$/],
				[heard?.user ?? pressed?.press.user ?? '1', /^-?\d{1,16}$/],
				[heard?.thread ?? '1', /^-?\d{1,16}$/],
				[heard?.id ?? '1/1', /^-?\d{1,16}\/-?\d{1,16}$/],
			] as const) {
				expect(value).toMatch(form);
			}

			expect(heard?.text.length ?? 0).toBeLessThanOrEqual(100_000);
			expect(heard?.quote?.text.length ?? 0).toBeLessThanOrEqual(4000);
			expect(heard?.quote?.author.length ?? 1).toBeLessThanOrEqual(200);
			expect(heard?.name?.length ?? 1).toBeLessThanOrEqual(200);
			expect(pressed?.press.data.length ?? 1).toBeLessThanOrEqual(300);
		}),
		{numRuns: propertyRuns(1000)},
	);

	await using both = await openBoth();
	const {telegram, heard, open} = both;
	const drawn = fc.sample(broken, 40);
	for (const update of drawn) {
		telegram.push({...update, message: withAt(update['message'] ?? null, ['from'], null)});
		telegram.write('neighbour');
	}

	telegram.react(succeeded([null, 'x', [], {}, {update_id: 'x'}, {update_id: 592_426_180}]));
	void open.listen();
	await open.until(() => heard.messages.size === drawn.length);
});
