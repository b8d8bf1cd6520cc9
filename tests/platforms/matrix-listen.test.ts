import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {textAt} from '../../source/platforms/ask.ts';
import {messageIn, sinceJoin} from '../../source/platforms/matrix/inbound.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {testApprovals} from './approval-contract.ts';
import {liveThrough} from './live-through.ts';
import {createHeard, openListener} from './open-listener.ts';
import {openService, type Call, type Reply} from './service.ts';

const token = 'syt_c3Zj_matrix-token_0123456789';
const api = '/_matrix/client/v3';
const us = '@svc:example.org';
const ann = '@ann:example.org';
const bob = '@bob:example.org';
const room = '!ops:example.org';
const start = 1_700_000_000_000;

const failed = (status: number, errcode: string, more: JsonObject = {}): Reply => ({
	status,
	json: {errcode, error: 'No', ...more},
});

type Stored = {readonly at: number; readonly event: JsonObject};

const typeOf = ({event}: Stored) => textAt(event, 'type');

/** A homeserver with one stream of events, of which it keeps all. */
async function openHomeserver() {
	let last = 100;
	const rooms = new Map<string, Stored[]>();
	const invitations = new Map<string, {readonly at: number; readonly events: JsonValue[]}>();
	let wake = Promise.withResolvers<void>();
	let oldest = 0;

	const add = (name: string, event: JsonObject): string => {
		last += 1;
		const id = `$${last}`;
		const stored = {event_id: id, origin_server_ts: start + last, sender: ann, ...event};
		rooms.set(name, [...(rooms.get(name) ?? []), {at: last, event: stored}]);
		wake.resolve();
		wake = Promise.withResolvers();
		return id;
	};

	const membersOf = (name: string): ReadonlyMap<string, Stored> =>
		new Map(
			(rooms.get(name) ?? [])
				.filter(stored => typeOf(stored) === 'm.room.member')
				.map(stored => [textAt(stored.event, 'state_key'), stored]),
		);

	const membershipOf = (stored: Stored | undefined) =>
		(stored?.event['content'] as JsonObject | undefined)?.['membership'];

	const joinedOf = (name: string) =>
		[...membersOf(name)].filter(([, stored]) => membershipOf(stored) === 'join');

	const member = (name: string, [user, membership]: readonly [string, string], sender = user) => {
		const before = membersOf(name).get(user);
		return add(name, {
			type: 'm.room.member',
			state_key: user,
			sender,
			content: {membership, displayname: user.slice(1, 4).toUpperCase()},
			...(before && {
				unsigned: {prev_content: {membership: membershipOf(before) ?? ''}, replaces_state: '$x'},
			}),
		});
	};

	/** What a sync tells of a room; `undefined`: nothing. */
	const roomSince = (name: string, since: number, filter: {limit: number; types: string[]}) => {
		const own = membersOf(name).get(us);
		if (membershipOf(own) !== 'join') {
			return undefined;
		}

		const all = (rooms.get(name) ?? []).filter(stored => filter.types.includes(typeOf(stored)));
		const isNew = (own?.at ?? 0) > since;
		const fresh = isNew ? all : all.filter(({at}) => at > since);
		if (fresh.length === 0) {
			return undefined;
		}

		const timeline = fresh.slice(-filter.limit);
		const senders = new Set(timeline.map(({event}) => event['sender']));
		const begins = timeline[0]?.at ?? 0;
		const gap = isNew ? all : fresh;
		return {
			timeline: {
				events: timeline.map(({event}) => event),
				limited: isNew || fresh.length > timeline.length,
				prev_batch: `t${begins}`,
			},
			state: {
				events: [
					...gap.filter(stored => stored.at < begins && typeOf(stored) === 'm.room.encryption'),
					...[...membersOf(name)].filter(([user]) => senders.has(user)).map(([, stored]) => stored),
				].map(({event}) => event),
			},
			...(fresh.some(stored => typeOf(stored) === 'm.room.member') && {
				summary: {'m.joined_member_count': joinedOf(name).length},
			}),
		};
	};

	const answerSince = (since: number, filter: {limit: number; types: string[]}): JsonObject => {
		const join = [...rooms.keys()].flatMap(name => {
			const told = roomSince(name, since, filter);
			return told ? [[name, told] as const] : [];
		});
		const invite = [...invitations]
			.filter(([, {at}]) => at > since)
			.map(([name, {events}]) => [name, {invite_state: {events}}] as const);
		return {
			next_batch: `s${last}`,
			rooms: {join: Object.fromEntries(join), invite: Object.fromEntries(invite)},
		};
	};

	const sync = async ({query}: Call, gone: AbortSignal): Promise<Reply> => {
		const {room: wanted, presence} = JSON.parse(query['filter'] ?? '') as {
			room: {timeline: {limit: number; types: string[]}; state: JsonObject};
			presence: JsonObject;
		};
		assert.deepEqual(presence, {not_types: ['*']});
		assert.equal(wanted.state['lazy_load_members'], true);
		const timeout = Number(query['timeout']);
		assert.ok(timeout === 0 || timeout === 30_000);
		const since = query['since'];
		const at = since === undefined ? -1 : Number(/^s(\d+)$/.exec(since)?.[1] ?? Number.NaN);
		if (Number.isNaN(at) || (since !== undefined && at < oldest)) {
			return failed(400, 'M_UNKNOWN', {error: 'Invalid stream token'});
		}

		const isEmpty = () => timeout > 0 && since === `s${last}` && !gone.aborted;
		while (isEmpty()) {
			const left = Promise.withResolvers<void>();
			gone.addEventListener('abort', () => {
				left.resolve();
			});
			// oxlint-disable-next-line no-await-in-loop -- until something comes
			await Promise.race([wake.promise, left.promise]);
		}

		return {status: 200, json: answerSince(at, wanted.timeline)};
	};

	const messages = (name: string, query: Call['query']): Reply => {
		assert.equal(query['dir'], 'b');
		const limit = Number(query['limit']);
		const from = Number(/^t(\d+)$/.exec(query['from'] ?? '')?.[1]);
		const to = Number(/^s(\d+)$/.exec(query['to'] ?? '')?.[1]);
		assert.ok(from > 0 && to >= 0 && limit > 0 && limit <= 100);
		const {types} = JSON.parse(query['filter'] ?? '') as {types: string[]};
		const before = (rooms.get(name) ?? [])
			.filter(stored => stored.at < from && stored.at > to && types.includes(typeOf(stored)))
			.toReversed();
		const chunk = before.slice(0, limit);
		return {
			status: 200,
			json: {
				chunk: chunk.map(({event}) => event),
				start: `t${from}`,
				...(before.length > chunk.length && {end: `t${chunk.at(-1)?.at ?? 0}`}),
			},
		};
	};

	const service = await openService(
		async (call, gone) => {
			const {method, path, query, headers} = call;
			assert.equal(headers['authorization'], `Bearer ${token}`);
			assert.ok(path.startsWith(api));
			const [, name, what = '', id] =
				/^\/rooms\/([^/]+)\/(\w+)(?:\/([^/]+))?$/.exec(path.slice(api.length)) ?? [];
			if (path === `${api}/account/whoami`) {
				return {status: 200, json: {user_id: us, device_id: 'ABC'}};
			}

			if (path === `${api}/sync`) {
				return sync(call, gone);
			}

			const chat = decodeURIComponent(name ?? '');
			if (what === 'join') {
				assert.equal(method, 'POST');
				assert.ok(invitations.delete(chat));
				member(chat, [us, 'join']);
				return {status: 200, json: {room_id: chat}};
			}

			assert.equal(method, 'GET');
			if (membershipOf(membersOf(chat).get(us)) !== 'join') {
				return failed(403, 'M_FORBIDDEN');
			}

			switch (what) {
				case 'messages':
					return messages(chat, query);
				case 'event': {
					const found = rooms
						.get(chat)
						?.find(({event}) => event['event_id'] === decodeURIComponent(id ?? ''));
					return found ? {status: 200, json: found.event} : failed(404, 'M_NOT_FOUND');
				}

				default:
					assert.equal(what, 'joined_members');
					return {
						status: 200,
						json: {joined: Object.fromEntries(joinedOf(chat).map(([user]) => [user, {}]))},
					};
			}
		},
		({path}) => path.endsWith('/sync'),
	);
	return {
		...service,
		written: {homeserver: service.url, access_token: token},
		add,
		member,
		/** Makes a room with these members. */
		open(name: string, ...users: readonly string[]) {
			for (const user of users) {
				member(name, [user, 'join']);
			}
		},
		write: (body: string, content: JsonObject = {}, {name = room, sender = ann} = {}) =>
			add(name, {
				type: 'm.room.message',
				sender,
				content: {msgtype: 'm.text', body, 'm.mentions': {}, ...content},
			}),
		/** `forged` stands in front of what the server adds. */
		invite(name: string, inviter: string, forged: readonly JsonValue[] = []) {
			member(name, [us, 'invite'], inviter);
			last += 1;
			invitations.set(name, {
				at: last,
				events: [...forged, invitationBy(inviter)],
			});
		},
		since: () => `s${last}`,
		forgetUntilNow() {
			oldest = last + 1;
			last += 1;
		},
		asked: (what: string) => service.calls.filter(({path}) => path.includes(`/${what}`)),
	};
}

const invitationBy = (sender: string): JsonObject => ({
	type: 'm.room.member',
	state_key: us,
	sender,
	content: {membership: 'invite'},
});

/** A homeserver, and what listens to it, which begins with what is written from now on. */
async function openBoth({
	users = [us, ann],
	allowed = [ann],
}: {readonly users?: readonly string[]; readonly allowed?: readonly string[]} = {}) {
	const server = await openHomeserver();
	server.open(room, ...users);
	const heard = createHeard();
	heard.cursor = {account: us, since: server.since()};
	const open = await openListener('matrix', server.written, {heard, allowed});
	return {
		server,
		heard,
		open,
		texts: () => [...heard.messages.values()].map(({text}) => text),
		async [Symbol.asyncDispose]() {
			await open[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
}

test('200 messages over 20 breaks of all kinds arrive in order, and once on disk', async () => {
	await using server = await openHomeserver();
	const chats = [room, '!dm:example.org', '!third:example.org'];
	for (const chat of chats) {
		server.open(chat, us, ann);
	}

	const refusals: readonly Reply[] = [
		failed(502, 'M_UNKNOWN'),
		failed(429, 'M_LIMIT_EXCEEDED', {retry_after_ms: 2500}),
		{status: 200, text: '<html>'},
		{status: 200, text: '{"rooms":{}}'},
	];
	const {numbers, inOrder, final} = await liveThrough('matrix', {
		written: server.written,
		chats,
		write(name, text) {
			server.write(text, {}, {name});
		},
		endings: [
			() => {
				server.cut();
			},
			() => {
				server.react('breaks');
			},
			() => {
				server.reactToChecks('breaks');
				server.cut();
			},
			...refusals.map(reply => () => {
				server.react(reply);
			}),
		],
		isUp: async () => server.sent(server.asked('sync').length),
	});
	expect(numbers).toEqual(inOrder);
	expect([final, server.faults]).toEqual([[], []]);
});

test.for([undefined, '@other:example.org'])(
	'a first start answers nothing that is there, and everything that comes then; behind a cursor of %j, too',
	async account => {
		await using server = await openHomeserver();
		server.open(room, us, ann);
		const heard = createHeard();
		const before = account === undefined ? undefined : {account, since: server.since()};
		heard.cursor = before;
		server.write('old');
		await using open = await openListener('matrix', server.written, {heard});
		void open.listen();
		await open.until(() => heard.cursor !== before);
		expect(heard.messages.size).toBe(0);
		const id = server.write('new');
		await open.until(() => heard.messages.size > 0);
		expect([...heard.messages.values()]).toEqual([
			{
				id: `${room}/${id}`,
				chat: room,
				user: ann,
				name: 'ANN',
				text: 'new',
				isDirect: true,
				isForUs: false,
				answer: {},
			},
		]);
		await open.until(
			() => JSON.stringify(heard.cursor) === JSON.stringify({account: us, since: server.since()}),
		);
		expect(server.faults).toEqual([]);
	},
);

test('nothing is confirmed that could not be written', async () => {
	await using both = await openBoth();
	const {server, heard, open} = both;
	const before = heard.cursor;
	server.write('one');
	heard.failures.push(new Error('no space left on device'));
	await expect(open.listen()).rejects.toThrow('no space left on device');
	expect(heard.cursor).toEqual(before);
	void open.listen();
	await open.until(() => heard.messages.size === 1);
	expect(heard.again).toEqual([]);
});

test.for([0, 1, 2, 3])('a write that fails loses nothing: that with number %i', async nth => {
	await using both = await openBoth();
	const {server, heard, open} = both;
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
		server.write(text);
		// oxlint-disable-next-line no-await-in-loop -- in their order
		await open.until(() => heard.messages.size > count);
	}

	ending.abort();
	await running;
	expect([...heard.messages.values()].map(({text}) => text)).toEqual(['one', 'two', 'three']);
});

test.for([60, 950, 1300])('a gap of %i messages is read back, at most 1,000', async count => {
	await using both = await openBoth();
	const {server, open, texts} = both;
	const expected = Array.from({length: count}, (_, nth) => `message ${nth}`);
	for (const text of expected) {
		server.write(text);
	}

	void open.listen();
	await open.until(() => both.heard.messages.size === Math.min(count, 1050));
	expect(texts()).toEqual(expected.slice(-1050));
	expect(server.faults).toEqual([]);
});

test('a gap that cannot be read hides nothing of what came after it, and one that breaks is read again', async () => {
	await using both = await openBoth();
	const {server, heard, open, texts} = both;
	for (let nth = 0; nth < 60; nth += 1) {
		server.write(`message ${nth}`);
	}

	// The first is who we are.
	server.reactToChecks({status: 200, json: {user_id: us}}, failed(502, 'M_UNKNOWN'));
	await expect(open.listen()).rejects.toMatchObject({code: 'platform_failed'});
	expect(heard.messages.size).toBe(0);
	server.reactToChecks({status: 200, json: {user_id: us}}, failed(403, 'M_FORBIDDEN'));
	void open.listen();
	await open.until(() => heard.messages.size === 50);
	expect(texts()[0]).toBe('message 10');
});

test('an answer that is too large is asked for in smaller parts', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	server.write('one');
	server.react({status: 200, text: `{"next_batch":"${'x'.repeat(17 * 1024 * 1024)}"}`});
	await expect(open.listen()).rejects.toMatchObject({retryable: true});
	void open.listen();
	await open.until(() => heard.messages.size === 1);
	server.write('two');
	await open.until(() => heard.messages.size === 2);
	const limits = server
		.asked('sync')
		.map(
			({query}) => (JSON.parse(query['filter'] ?? '') as {room: {timeline: {limit: number}}}).room,
		)
		.map(({timeline}) => timeline.limit);
	expect(limits.slice(0, 3)).toEqual([50, 10, 50]);
});

test('a server that does not know the cursor any more is begun with anew', async () => {
	await using both = await openBoth();
	const {server, open, heard, texts} = both;
	server.write('meanwhile');
	server.forgetUntilNow();
	void open.listen();
	await open.until(() => heard.notes.length > 0 && heard.cursor !== undefined);
	await open.until(
		() => JSON.stringify(heard.cursor) === JSON.stringify({account: us, since: server.since()}),
	);
	server.write('new');
	await open.until(() => heard.messages.size > 0);
	expect(texts()).toEqual(['new']);
});

test.for<[string, Reply, JsonObject]>([
	['a token that is none', failed(401, 'M_UNKNOWN_TOKEN'), {code: 'platform_unauthorized'}],
	[
		'a rate limit',
		failed(429, 'M_LIMIT_EXCEEDED', {retry_after_ms: 2500}),
		{code: 'platform_rate_limited', retryAfterMs: 2500},
	],
	['no account', {status: 200, json: {}}, {code: 'platform_failed', retryable: true}],
])('%s is a failure that says so', async ([, reply, failure]) => {
	await using both = await openBoth();
	both.server.reactToChecks(reply);
	await expect(both.open.listen()).rejects.toMatchObject(failure);
	expect(both.heard.notes).toEqual([]);
});

test('aborting ends a connection at once', async () => {
	await using both = await openBoth();
	const ending = new AbortController();
	const ended = both.open.listen(ending.signal);
	await both.open.until(() => both.heard.notes.length > 0);
	ending.abort();
	await ended;
	expect(both.open.clock.timersLeft).toBe(0);
});

test('invitations of people who may talk with us are taken, and others left as they are', async () => {
	await using both = await openBoth();
	const {server, open, heard, texts} = both;
	server.open('!dm:example.org', ann);
	server.write('long ago', {}, {name: '!dm:example.org'});
	server.open('!evil:example.org', bob);
	server.open('!forged:example.org', bob);
	server.invite('!evil:example.org', bob);
	server.invite('!forged:example.org', bob, [invitationBy(ann)]);
	server.invite('!dm:example.org', ann);
	server.write('hello', {}, {name: '!dm:example.org'});
	void open.listen();
	await open.until(() => heard.messages.size === 1);
	server.write('and then', {}, {name: '!dm:example.org'});
	await open.until(() => heard.messages.size === 2);
	expect(texts()).toEqual(['hello', 'and then']);
	expect(
		server
			.asked('join')
			.filter(({method}) => method === 'POST')
			.map(({path}) => path),
	).toEqual([`${api}/rooms/${encodeURIComponent('!dm:example.org')}/join`]);
	expect(server.faults).toEqual([]);
});

test('a room that cannot be joined holds nothing up, and is tried again after a minute', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	server.open('!dm:example.org', ann);
	server.invite('!dm:example.org', ann);
	server.reactToChecks({status: 200, json: {user_id: us}}, failed(504, 'M_UNKNOWN'));
	const before = heard.cursor;
	void open.listen();
	await open.until(() => heard.cursor !== before);
	server.write('one');
	await open.until(() => heard.messages.size === 1);
	server.write('two');
	await open.until(() => heard.messages.size === 2);
	expect(server.asked('join').filter(({method}) => method === 'POST')).toHaveLength(1);
	open.clock.advance(60_000);
	server.write('three');
	await open.until(() => heard.messages.size === 3);
	server.write('four', {}, {name: '!dm:example.org'});
	await open.until(() => heard.messages.size === 4);
	expect(server.faults).toEqual([]);
});

test('an encrypted room is told once, also after a restart, and the note names it', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	void open.listen();
	await open.until(() => heard.notes.length === 1);
	const encrypt = (sender: string) =>
		server.add(room, {type: 'm.room.encrypted', sender, content: {algorithm: 'm.megolm.v1'}});
	server.add(room, {type: 'm.room.encryption', state_key: '', content: {}});
	await open.until(() => heard.notes.length === 2);
	encrypt(bob);
	encrypt(ann);
	encrypt(ann);
	server.write('not encrypted');
	await open.until(() => heard.messages.size === 1);
	expect(heard.notes).toEqual([undefined, `it cannot read encrypted rooms: ${room}`]);
	expect(heard.said).toEqual([[room, expect.stringContaining('encrypted')]]);
	await open.until(() => JSON.stringify(heard.cursor).includes('encrypted'));
	await open[Symbol.asyncDispose]();

	await using again = await openListener('matrix', server.written, {heard, allowed: [ann]});
	void again.listen();
	encrypt(ann);
	server.write('again');
	await again.until(() => heard.messages.size === 2);
	expect(heard.said).toHaveLength(1);
	expect(heard.notes.at(-1)).toContain(room);
});

test('a chat of two is direct, and one of three is not', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	void open.listen();
	server.write('two');
	await open.until(() => heard.messages.size === 1);
	server.member(room, [bob, 'join']);
	const id = server.write('three');
	await open.until(() => heard.messages.size === 2);
	server.member(room, [bob, 'leave']);
	server.write('two again');
	await open.until(() => heard.messages.size === 3);
	const all = [...heard.messages.values()];
	expect(all.map(({isDirect}) => isDirect)).toEqual([true, false, true]);
	expect(all.map(({answer}) => answer)).toEqual([{}, {reply_to: id}, {}]);
	expect(server.asked('joined_members')).toHaveLength(1);
});

test('members who cannot be read are asked for once more, and then the chat is none of two', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	server.write('one');
	const who = {status: 200, json: {user_id: us}};
	server.reactToChecks(who, failed(502, 'M_UNKNOWN'));
	await expect(open.listen()).rejects.toMatchObject({code: 'platform_failed'});
	server.reactToChecks(who, failed(502, 'M_UNKNOWN'));
	void open.listen();
	await open.until(() => heard.messages.size === 1);
	expect([...heard.messages.values()][0]).toMatchObject({text: 'one', isDirect: false});
});

const replyTo = (event: string): JsonObject => ({
	'm.relates_to': {'m.in_reply_to': {event_id: event}},
});

test('an answer to another one quotes that, and an answer to us is for us', async () => {
	await using both = await openBoth({users: [us, ann, bob]});
	const {server, open, heard} = both;
	const theirs = server.write('their words', {}, {sender: bob});
	const ours = server.write('our words', {}, {sender: us});
	heard.cursor = {account: us, since: server.since()};
	server.write('about theirs', replyTo(theirs));
	server.write('> <@svc:example.org> our words\n\nabout ours', replyTo(ours));
	server.write('about nothing', replyTo('$gone'));
	server.write('by a stranger', replyTo(theirs), {sender: bob});
	server.write('in a thread', {
		'm.relates_to': {
			rel_type: 'm.thread',
			event_id: ours,
			is_falling_back: true,
			'm.in_reply_to': {event_id: theirs},
		},
	});
	void open.listen();
	await open.until(() => heard.messages.size === 5);
	expect(
		[...heard.messages.values()].map(({text, isForUs, quote, thread}) => [
			text,
			isForUs,
			quote,
			thread,
		]),
	).toEqual([
		['about theirs', false, {author: 'BOB', text: 'their words'}, undefined],
		['about ours', true, undefined, undefined],
		['about nothing', false, undefined, undefined],
		['by a stranger', false, undefined, undefined],
		['in a thread', true, undefined, ours],
	]);
	expect(server.asked('event/')).toHaveLength(3);
	expect(server.faults).toEqual([]);
});

test('a quote that does not come within 2 s is left out', async () => {
	await using both = await openBoth();
	const {server, open, heard} = both;
	const theirs = server.write('their words', {}, {sender: bob});
	heard.cursor = {account: us, since: server.since()};
	server.write('about theirs', replyTo(theirs));
	server.reactToChecks({status: 200, json: {user_id: us}}, 'hangs');
	void open.listen();
	await open.until(() => heard.notes.length === 1);
	while (server.asked('event/').length === 0) {
		// oxlint-disable-next-line no-await-in-loop -- until the request has come
		await new Promise(setImmediate);
	}

	open.clock.advance(2000);
	await open.until(() => heard.messages.size === 1);
	expect([...heard.messages.values()][0]?.quote).toBeUndefined();
});

const read = (content: JsonObject, more: JsonObject = {}) =>
	messageIn(
		{
			type: 'm.room.message',
			sender: ann,
			event_id: '$1',
			origin_server_ts: start,
			content: {msgtype: 'm.text', body: 'hello', ...content},
			...more,
		},
		{room, ours: us, nameOf: () => undefined},
	);

const link = `<a href="https://matrix.to/#/${us}">Svc</a>`;

describe('a message', () => {
	test.for<[string, JsonObject, JsonObject]>([
		['of ours', {}, {sender: us}],
		['of nobody', {}, {sender: 5}],
		['that is a notice', {msgtype: 'm.notice'}, {}],
		['that is an edit', {'m.relates_to': {rel_type: 'm.replace', event_id: '$0'}}, {}],
		['that is a state', {}, {state_key: ''}],
		['that is a reaction', {}, {type: 'm.reaction'}],
		['without an id', {}, {event_id: 'x'}],
		['that was deleted', {msgtype: null, body: null}, {}],
		['that is a picture', {msgtype: 'm.image', body: 'a.png'}, {}],
		['that is a picture with its name', {msgtype: 'm.image', body: 'a', filename: 'a'}, {}],
		['that is blank', {body: ' \n'}, {}],
		['that only names us', {body: us}, {}],
	])('%s is not handed over', ([, content, more]) => {
		expect(read(content, more)).toBeUndefined();
	});

	test.for<[string, JsonObject, string, boolean]>([
		['nothing of us', {}, 'hello', false],
		['a mention', {'m.mentions': {user_ids: [us]}}, 'hello', true],
		['a mention of another', {'m.mentions': {user_ids: [ann]}}, 'hello', false],
		[
			'a link to us in front',
			{body: 'Svc: hello', formatted_body: `${link}: hello`, 'm.mentions': {user_ids: [us]}},
			'hello',
			true,
		],
		[
			'an encoded link in front',
			{body: 'Svc hello', formatted_body: link.replace(us, encodeURIComponent(us))},
			'hello',
			true,
		],
		['a link of an old client', {body: 'hi Svc', formatted_body: `hi ${link}`}, 'hi Svc', true],
		[
			'a link in what it answers',
			{body: 'hi', formatted_body: `<mx-reply>${link}</mx-reply>hi`},
			'hi',
			false,
		],
		['our id in front', {body: `${us}, hello`}, 'hello', true],
		['our id as a word', {body: `hello ${us}.`}, `hello ${us}.`, true],
		['a longer id', {body: `hello ${us}.uk`}, `hello ${us}.uk`, false],
		['a caption', {msgtype: 'm.image', body: 'look', filename: 'a.png'}, 'look', false],
	])('with %s', ([, content, text, isMention]) => {
		expect(read(content)).toMatchObject({text, isMention});
	});

	test('is cut, has a bounded identity, and a quotation of its own stays', () => {
		expect(read({body: 'a'.repeat(200_000)})?.text).toHaveLength(100_000);
		const long = `$${'x'.repeat(250)}`;
		expect(read({}, {event_id: long})?.id).toHaveLength(268);
		expect(
			messageIn(
				{
					type: 'm.room.message',
					sender: ann,
					event_id: long,
					content: {msgtype: 'm.text', body: 'x'},
				},
				{room: `!${'y'.repeat(200)}`, ours: us, nameOf: () => undefined},
			),
		).toMatchObject({id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/)});
		expect(read({body: '> own\n\nwords', ...replyTo('$0')})?.text).toBe('> own\n\nwords');
	});
});

test('a new name of ours is no arrival', () => {
	const own = (membership: string, before: string | undefined): JsonObject => ({
		...invitationBy(us),
		content: {membership},
		unsigned: before === undefined ? {} : {prev_content: {membership: before}},
	});
	const [one, two] = [{event_id: '$1'}, {event_id: '$2'}];
	expect(sinceJoin([one, own('join', 'join'), two], us)).toHaveLength(3);
	expect(sinceJoin([one, own('join', 'leave'), two], us)).toEqual([two]);
	expect(sinceJoin([one, own('join', undefined), two], us)).toEqual([two]);
	const old = {event_id: '$3', origin_server_ts: start - 3_600_000};
	const fresh = {event_id: '$4', origin_server_ts: start - 1000};
	const join = {...own('join', 'invite'), origin_server_ts: start};
	expect(sinceJoin([fresh, own('invite', undefined), old, fresh, join, two], us)).toEqual([
		fresh,
		two,
	]);
});

const strange = fc.oneof(
	fc.jsonValue(),
	fc.constantFrom<JsonValue>('__proto__', 'constructor', {}, [], 2 ** 60, -1, 'x'.repeat(200_000)),
) as fc.Arbitrary<JsonValue>;

const parts = (keys: readonly string[]) =>
	fc.dictionary(fc.constantFrom(...keys), strange, {maxKeys: 4});

const brokenEvents = fc.array(
	fc.record({
		event: parts(['type', 'sender', 'event_id', 'origin_server_ts', 'unsigned', 'state_key']),
		content: parts(['msgtype', 'body', 'formatted_body', 'm.mentions', 'm.relates_to', 'filename']),
		membership: strange,
	}),
	{minLength: 1, maxLength: 5},
);

test('broken events and rooms make nothing that is broken, and hide none of their neighbours', async () => {
	fc.assert(
		fc.property(brokenEvents, drawn => {
			for (const {event, content} of drawn) {
				const heard = read(content, event);
				expect(heard?.user ?? ann).toMatch(/^@\S{1,254}$/);
				expect(heard?.id.length ?? 1).toBeLessThanOrEqual(300);
				expect(heard?.text.length ?? 1).toBeLessThanOrEqual(100_000);
				expect(heard?.thread ?? '$1').toMatch(/^\$\S{1,254}$/);
				expect(`${heard?.id}${heard?.thread}${heard?.user}`.isWellFormed()).toBe(true);
			}

			sinceJoin(
				drawn.map(({event}) => ({...invitationBy(us), ...event})),
				us,
			);
		}),
		{numRuns: propertyRuns(1000)},
	);

	await using both = await openBoth();
	const {server, open, heard} = both;
	const drawn = fc.sample(brokenEvents, 20).flat();
	for (const {event, content, membership} of drawn) {
		server.add(room, {...event, sender: null, content});
		server.add(room, {type: 'm.room.member', state_key: bob, content: {membership}});
		server.write('neighbour');
	}

	server.react({
		status: 200,
		json: {
			next_batch: (heard.cursor as {since: string}).since,
			rooms: {
				join: {[room]: {timeline: [], state: {events: [null, 'x', {}]}}, x: null, '!y': []},
				invite: {'!z:example.org': {invite_state: 5}, '!a:example.org': null},
				leave: [],
			},
		},
	});
	void open.listen();
	await open.until(() => heard.messages.size === Math.min(drawn.length, 1050));
	expect(server.faults).toEqual([]);
});

testApprovals({
	kind: 'matrix',
	people: {approver: ann, talker: bob, outsider: '@eve:evil.example'},
	places: [
		{
			here: {chat: '!dm:example.org', isDirect: true},
			elsewhere: {chat: '!bob:example.org', isDirect: true},
		},
		{here: {chat: room, isDirect: false}, elsewhere: {chat: '!other:example.org', isDirect: false}},
	],
	async open() {
		const server = await openHomeserver();
		for (const name of ['!dm:example.org', '!bob:example.org']) {
			server.open(name, us, ann);
		}

		for (const name of [room, '!other:example.org']) {
			server.open(name, us, ann, bob, '@eve:evil.example');
		}

		return {
			...server,
			write({chat: name}, sender, text) {
				server.write(text, {}, {name, sender});
			},
		};
	},
});
