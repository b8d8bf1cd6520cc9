import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import type {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {runSeed} from '../helpers/random.ts';
import {createWatch} from '../helpers/watch.ts';
import {testApprovals} from './approval-contract.ts';
import {liveThrough} from './live-through.ts';
import {openListener} from './open-listener.ts';
import {openSender, type Speech} from './open-platform.ts';
import {openService, type Reply} from './service.ts';
import {takeWebSockets, type ServerSocket} from './web-socket-server.ts';

const botToken = 'xoxb-123456-slack-token-0123456789';
const appToken = 'xapp-1-A1-123456-0123456789abcdef';

type Pending = {
	readonly id: string;
	readonly envelope: JsonObject;
	attempt: number;
	on?: ServerSocket | undefined;
};

/** A workspace in socket mode: an address opens one socket, what is not acknowledged on its own socket comes again on another, and nothing is taken that Slack would not take. */
async function openSlack() {
	const tickets = new Set<string>();
	const live = new Set<ServerSocket>();
	const pending: Pending[] = [];
	const acknowledged: string[] = [];
	const payloads = new Map<string, JsonValue>();
	const faults: string[] = [];
	const told: JsonValue[] = [];
	const roots = new Map<string, JsonObject>();
	const {look, until} = createWatch();
	let opened = 0;
	let last = 0;
	/** What happens instead of an answer to the next request for a socket. */
	const refusals: Reply[] = [];
	let answersTo = 'hello';
	let losesNextAcknowledgement = false;
	const service = await openService(({path, method, headers, body}) => {
		const as = headers['authorization'];
		assert.equal(method, 'POST');
		if (path === '/api/auth.test') {
			assert.equal(as, `Bearer ${botToken}`);
			return {status: 200, json: {ok: true, user: 'svc', user_id: 'U0BOT', team: 'Acme'}};
		}

		if (path === '/api/apps.connections.open') {
			assert.equal(as, `Bearer ${appToken}`);
			const refusal = refusals.shift();
			if (refusal) {
				return refusal;
			}

			opened += 1;
			const ticket = `ticket-0123456789-${opened}`;
			tickets.add(ticket);
			return {status: 200, json: {ok: true, url: `${wsUrl}/link/?ticket=${ticket}&app_id=A1`}};
		}

		if (path === '/api/conversations.replies') {
			assert.equal(as, `Bearer ${botToken}`);
			const {channel, ts} = body as {channel: string; ts: string};
			const root = roots.get(`${channel}/${ts}`);
			return {
				status: 200,
				json: root ? {ok: true, messages: [root]} : {ok: false, error: 'missing_scope'},
			};
		}

		if (path === '/api/chat.postEphemeral') {
			assert.equal(as, `Bearer ${botToken}`);
			told.push(body);
			look();
			return {status: 200, json: {ok: true}};
		}

		assert.equal(path, '/actions/T1/1/secret');
		assert.equal(as, undefined);
		told.push(body);
		look();
		return {status: 200, text: 'ok'};
	});
	const wsUrl = service.url.replace('http:', 'ws:');

	/** Messages come in their order: none overtakes one that waits on another socket. */
	const flush = () => {
		const socket = [...live].at(-1);
		for (const one of pending) {
			if (one.on && !live.has(one.on)) {
				one.on = undefined;
				one.attempt += 1;
			}
		}

		const waitsElsewhere = pending.some(({on}) => on && on !== socket);
		for (const one of socket && !waitsElsewhere ? pending : []) {
			if (!one.on) {
				one.on = socket;
				const retry = one.attempt > 0 && {retry_attempt: one.attempt, retry_reason: 'timeout'};
				socket?.send(JSON.stringify({...one.envelope, ...retry}));
			}
		}
	};

	takeWebSockets(service.server, {
		accepts(request) {
			const ticket = new URL(request.url ?? '', service.url).searchParams.get('ticket') ?? '';
			return tickets.delete(ticket);
		},
		onOpen(socket) {
			if (answersTo === 'hello') {
				live.add(socket);
				socket.send(JSON.stringify({type: 'hello', num_connections: live.size}));
				flush();
			} else if (answersTo === '') {
				socket.close(1000);
			} else {
				socket.send(answersTo);
			}

			look();
		},
		onText(text, socket) {
			const {envelope_id: id, payload = null} = JSON.parse(text) as {
				envelope_id: string;
				payload?: JsonValue;
			};
			const at = pending.findIndex(one => one.id === id && one.on === socket);
			if (at === -1) {
				faults.push(`an acknowledgement of ${id} on the wrong socket`);
			} else if (losesNextAcknowledgement) {
				losesNextAcknowledgement = false;
				socket.drop();
			} else {
				pending.splice(at, 1);
				acknowledged.push(id);
				payloads.set(id, payload);
				flush();
			}

			look();
		},
		onClose(socket) {
			live.delete(socket);
			flush();
			look();
		},
	});
	return {
		service,
		live,
		pending,
		acknowledged,
		payloads,
		faults,
		told,
		roots,
		refusals,
		get opened() {
			return opened;
		},
		newest: () => [...live].at(-1),
		/** What a socket that opens is answered. `''`: it is closed. */
		answerWith(text: string) {
			answersTo = text;
		},
		loseNextAcknowledgement() {
			losesNextAcknowledgement = true;
		},
		/** Sends an envelope once there is a socket, until it is acknowledged. Its identifier. */
		send(envelope: JsonObject): string {
			last += 1;
			const id = `e${last}`;
			pending.push({id, envelope: {envelope_id: id, ...envelope}, attempt: 0});
			flush();
			return id;
		},
		event(event: JsonObject, more: JsonObject = {}): string {
			return this.send({
				type: 'events_api',
				accepts_response_payload: false,
				payload: {type: 'event_callback', event_id: `Ev${last}`, event},
				...more,
			});
		},
		until,
		async [Symbol.asyncDispose]() {
			for (const socket of live) {
				socket.drop();
			}

			await service[Symbol.asyncDispose]();
		},
	};
}

type Slack = Awaited<ReturnType<typeof openSlack>>;

const settingsOf = ({service}: Slack) => ({
	bot_token: botToken,
	app_token: appToken,
	api_base: service.url,
});

const openFor = async (slack: Slack, options: Parameters<typeof openListener>[2] = {}) =>
	openListener('slack', settingsOf(slack), options);

const message = (more: JsonObject = {}): JsonObject => ({
	type: 'message',
	channel: 'C0ROOM',
	channel_type: 'channel',
	user: 'U0ANN',
	text: 'hello',
	ts: '1700000000.000100',
	...more,
});

const press = (more: JsonObject = {}): JsonObject => ({
	type: 'interactive',
	accepts_response_payload: false,
	payload: {
		type: 'block_actions',
		user: {id: 'U0ANN', username: 'ann'},
		channel: {id: 'C0ROOM'},
		container: {type: 'message', message_ts: '5.000001', thread_ts: '4.000001'},
		actions: [{type: 'button', action_id: 'svc.0', value: 'approve K7QF'}],
		...more,
	},
});

/** What comes of these events. */
async function heardOf(events: readonly JsonObject[], allowed: readonly string[] = []) {
	await using slack = await openSlack();
	await using open = await openFor(slack, {allowed});
	void open.listen();
	for (const event of events) {
		slack.event(event);
	}

	await slack.until(() => slack.acknowledged.length === events.length);
	expect(slack.faults).toEqual([]);
	expect(slack.service.faults).toEqual([]);
	return [...open.heard.messages.values()];
}

const failureOf = async (promise: Promise<unknown>): Promise<DeliveryError> =>
	promise.then(
		() => assert.fail('it did not fail'),
		(error: DeliveryError) => error,
	);

describe('what is heard', () => {
	test('a message in a room opens a thread below it, and in a direct chat none', async () => {
		const ts = '1700000000.000100';
		const [room, direct, inThread, mpim] = await heardOf([
			message({text: '<@U0BOT> what is up?', user_profile: {display_name: 'Ann'}}),
			message({channel: 'D0ANN', channel_type: 'im'}),
			message({channel: 'D0ANN', channel_type: 'im', ts: '5.000001', thread_ts: ts}),
			message({channel: 'G0MANY', channel_type: 'mpim', thread_ts: ts, ts: '5.000002'}),
		]);

		expect(room).toEqual({
			id: `C0ROOM/${ts}`,
			chat: 'C0ROOM',
			user: 'U0ANN',
			name: 'Ann',
			thread: ts,
			text: 'what is up?',
			isDirect: false,
			isForUs: true,
			answer: {thread_id: ts},
		});
		expect(direct).toMatchObject({isDirect: true, answer: {}});
		expect(direct).not.toHaveProperty('thread');
		expect(inThread).toMatchObject({thread: ts, answer: {thread_id: ts}});
		expect(mpim).toMatchObject({isDirect: false, isForUs: false, thread: ts});
	});

	test('`message` and `app_mention` of one message are one, whatever their `event_id`', async () => {
		const text = 'hm <@U0BOT|svc>, look';
		const {channel_type: _, ...mention} = message({type: 'app_mention', text});
		const heard = await heardOf([mention, message({text}), mention]);

		expect(heard).toMatchObject([{text: 'hm @svc, look', isForUs: true, isDirect: false}]);
	});

	test('a reply in a thread of ours is for us', async () => {
		const heard = await heardOf([message({thread_ts: '9.000001', parent_user_id: 'U0BOT'})]);
		expect(heard).toMatchObject([{isForUs: true, thread: '9.000001'}]);
	});

	test('marks are read as people see them', async () => {
		const [heard] = await heardOf([
			message({
				text: '<@U0ANN|ann> <@U0BOB> <#C1|general> <!here> <!subteam^S1|@ops> <https://a.example/?a=1&amp;b|a &lt;b&gt;> <https://c.example> <mailto:a@b.example|a@b.example> &lt;@U0BOT&gt; &amp;lt;',
			}),
		]);
		expect(heard?.text).toBe(
			'@ann @U0BOB #general @here @ops a <b> (https://a.example/?a=1&b) https://c.example a@b.example <@U0BOT> &lt;',
		);
		expect(heard?.isForUs).toBe(false);
	});

	test('what bots and we wrote, edits, deletions, files without a text are left out', async () => {
		const heard = await heardOf([
			message({user: 'U0BOT'}),
			message({bot_id: 'B1'}),
			message({user: 'USLACKBOT'}),
			message({edited: {user: 'U0ANN', ts: '1.000001'}}),
			message({type: 'app_mention', edited: {user: 'U0ANN', ts: '1.000001'}}),
			...['message_changed', 'message_deleted', 'bot_message', 'channel_join'].map(subtype =>
				message({subtype}),
			),
			message({subtype: 'file_share', text: '', files: [{id: 'F1'}]}),
			message({text: '<@U0BOT>'}),
			{type: 'reaction_added', user: 'U0ANN', reaction: 'eyes'},
		]);
		expect(heard).toEqual([]);
	});

	test('a file with a text, and a reply that is shown in the channel too, are heard', async () => {
		const heard = await heardOf([
			message({subtype: 'file_share', text: 'look', files: [{id: 'F1'}]}),
			message({subtype: 'thread_broadcast', ts: '8.000001', thread_ts: '7.000001'}),
		]);
		expect(heard).toMatchObject([{text: 'look'}, {thread: '7.000001'}]);
	});

	test("a message that is shared is quoted, unless it is ours; another's question too, for those who may talk", async () => {
		await using slack = await openSlack();
		slack.roots.set('C0ROOM/7.000001', {ts: '7.000001', user: 'U0BOB', text: 'why &gt; how?'});
		await using open = await openFor(slack, {allowed: ['U0ANN']});
		void open.listen();
		const share = (author_id: string) => [
			{is_share: true, author_id, author_name: 'Bob', text: 'x'.repeat(9000)},
		];
		const asks = {text: '<@U0BOT> what of this?', thread_ts: '7.000001', parent_user_id: 'U0BOB'};
		slack.event(message({ts: '8.000001', attachments: share('U0BOB')}));
		slack.event(message({ts: '8.000002', attachments: share('U0BOT')}));
		slack.event(message({ts: '8.000003', ...asks}));
		slack.event(message({ts: '8.000004', ...asks, user: 'U0EVE'}));
		slack.event(message({ts: '8.000005', ...asks, parent_user_id: 'U0ANN'}));
		slack.event(message({ts: '8.000006', ...asks, thread_ts: '7.000009'}));
		await slack.until(() => slack.acknowledged.length === 6);

		expect([...open.heard.messages.values()].map(({quote}) => quote)).toEqual([
			{author: 'Bob', text: 'x'.repeat(4000)},
			undefined,
			{author: 'U0BOB', text: 'why > how?'},
			undefined,
			undefined,
			undefined,
		]);
		const asked = slack.service.calls.filter(({path}) => path === '/api/conversations.replies');
		expect(asked).toHaveLength(2);
	});

	test('a quote that does not come within 2 s is left out', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack, {allowed: ['U0ANN']});
		void open.listen();
		await open.until(() => open.heard.notes.length === 1);
		slack.service.react('hangs');
		slack.event(message({text: '<@U0BOT> and?', thread_ts: '7.000001', parent_user_id: 'U0BOB'}));
		await slack.service.sent(slack.service.calls.length + 1);
		open.clock.advance(2000);
		await open.until(() => open.heard.messages.size === 1);
		expect([...open.heard.messages.values()]).toMatchObject([{text: 'and?'}]);
	});

	test('slash commands are told that they are not served', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		void open.listen();
		const id = slack.send({
			type: 'slash_commands',
			accepts_response_payload: true,
			payload: {command: '/svc', text: 'x', user_id: 'U0ANN'},
		});
		await slack.until(() => slack.acknowledged.length === 1);
		expect(slack.payloads.get(id)).toEqual({
			response_type: 'ephemeral',
			text: expect.stringContaining('not served'),
		});
	});

	test('broken fields hide nothing of their neighbours, and end nothing', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack, {allowed: ['U0ANN']});
		void open.listen();
		const odd = fc.oneof(
			fc.constantFrom<JsonValue>(null, '', 0, -1, 1e300, true, [], {}, '__proto__', '<@U0BOT'),
			fc.string(),
			fc.jsonValue().map(value => value as JsonValue),
		);
		const broken = fc.dictionary(
			fc.constantFrom(...Object.keys(message()), 'thread_ts', 'subtype', 'attachments', 'edited'),
			odd,
		);
		const envelope = fc.oneof(
			broken.map(event => ({type: 'events_api', payload: {event: message(event)}})),
			broken.map(event => ({type: 'events_api', payload: {event}})),
			fc.record({
				type: fc.constantFrom('interactive', 'slash_commands', 'events_api', 'x'),
				payload: odd,
			}),
			fc.record({
				type: fc.constant('interactive'),
				payload: fc.record({
					type: fc.constant('block_actions'),
					actions: odd,
					channel: odd,
					user: odd,
					response_url: odd,
				}),
			}),
		);
		let count = 0;
		await fc.assert(
			fc.asyncProperty(envelope, async one => {
				count += 1;
				const ts = `${count}.000001`;
				slack.newest()?.send(JSON.stringify(fc.sample(odd, {numRuns: 1, seed: count})[0] ?? null));
				slack.send(one);
				slack.event(message({channel: 'C0AFTER', ts}));
				await slack.until(() => slack.acknowledged.length === 2 * count);
				expect(open.heard.messages.has(`C0AFTER/${ts}`)).toBe(true);
			}),
			{numRuns: propertyRuns(400), seed: runSeed},
		);
		expect(slack.opened).toBe(1);
		for (const {id, text} of open.heard.messages.values()) {
			expect(id.length).toBeLessThanOrEqual(300);
			expect(text).not.toBe('');
		}
	});
});

describe('connections', () => {
	test('nothing is acknowledged before it is on disk; a write that fails ends the connection', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		open.heard.failures.push(new Error('the disk is full'));
		const listening = open.listen();
		slack.event(message());
		await expect(listening).rejects.toThrow('the disk is full');
		await slack.until(() => slack.live.size === 0);
		expect(slack.acknowledged).toEqual([]);
		expect(open.heard.messages.size).toBe(0);

		void open.listen();
		await slack.until(() => slack.acknowledged.length === 1);
		expect(slack.pending).toEqual([]);
		expect(open.heard.messages.size).toBe(1);
	});

	test.for(['warning', 'refresh_requested'])(
		'%s: the new socket is open before the old one closes, and both are read',
		async reason => {
			await using slack = await openSlack();
			await using open = await openFor(slack);
			void open.listen();
			await open.until(() => open.heard.notes.length === 1);
			const old = slack.newest();
			open.clock.advance(10_000);
			old?.send(JSON.stringify({type: 'disconnect', reason, debug_info: {host: 'x'}}));
			await slack.until(() => slack.live.size === 2);

			// Still on the old one.
			const id = 'late';
			slack.pending.push({
				id,
				on: old,
				attempt: 0,
				envelope: {},
			});
			old?.send(
				JSON.stringify({
					envelope_id: id,
					type: 'events_api',
					payload: {event: message({ts: '1.000001'})},
				}),
			);
			await slack.until(() => slack.acknowledged.includes(id));
			slack.event(message({ts: '2.000001'}));
			await slack.until(() => slack.acknowledged.length === 2);
			old?.close();
			await slack.until(() => slack.live.size === 1);
			slack.event(message({ts: '3.000001'}));
			await slack.until(() => slack.acknowledged.length === 3);
			expect(open.heard.messages.size).toBe(3);
			expect(open.heard.notes).toEqual([undefined]);
			expect(slack.faults).toEqual([]);
		},
	);

	test('an old socket that never closes is closed after a minute', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		void open.listen();
		await open.until(() => open.heard.notes.length === 1);
		open.clock.advance(10_000);
		slack.newest()?.send('{"type":"disconnect","reason":"warning"}');
		await slack.until(() => slack.live.size === 2);
		const [old] = slack.live;
		assert.ok(old);
		slack.event(message());
		await slack.until(() => slack.acknowledged.length === 1);
		// Each asks whether the other is there; the answers come between.
		for (const step of [1, 2]) {
			const before = slack.acknowledged.length;
			open.clock.advance(29_000);
			slack.event(message({ts: `${step}.000001`}));
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await slack.until(() => slack.acknowledged.length > before);
		}

		old.send('{"type":"ping"}');
		open.clock.advance(2000);
		await slack.until(() => !slack.live.has(old));
		expect(slack.live.size).toBe(1);
	});

	test('a socket that is to be replaced at once, again and again, is no storm', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		const listening = open.listen();
		await open.until(() => open.heard.notes.length === 1);
		slack.newest()?.send('{"type":"disconnect","reason":"refresh_requested"}');
		expect(await failureOf(listening)).toMatchObject({
			message: 'Cannot listen to slack: it ends new connections at once, refresh_requested',
			retryable: true,
		});
		expect(slack.opened).toBe(1);
	});

	test('a socket without an answer to a ping for 30 s is broken', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		const listening = open.listen();
		await open.until(() => open.heard.notes.length === 1);
		const socket = slack.newest();
		assert.ok(socket);
		socket.isDead = true;
		open.clock.advance(30_000);
		open.clock.advance(30_000);
		expect(await failureOf(listening)).toMatchObject({
			message: expect.stringContaining('nothing came for 30 s'),
			retryable: true,
		});
		expect(open.clock.timersLeft).toBe(0);
	});

	test.for([
		['frames', 10_002, 10],
		['characters', 40, 1_000_000],
	] as const)('a flood of %s ends the connection', async ([, count, length]) => {
		await using slack = await openSlack();
		const {promise: blocked, resolve: unblock} = Promise.withResolvers<string>();
		const {promise: pressed, resolve: isPressed} = Promise.withResolvers<void>();
		await using open = await openFor(slack, {
			async onPress() {
				isPressed();
				return blocked;
			},
		});
		const listening = open.listen();
		slack.send(press());
		await pressed;
		const text = JSON.stringify('x'.repeat(length));
		for (let at = 0; at < count; at++) {
			slack.newest()?.send(text);
		}

		await slack.until(() => slack.live.size === 0);
		unblock('Allowed');
		expect((await failureOf(listening)).message).toContain('too large, or too many of them');
	});

	test('several programs with one token: a person is told', async () => {
		await using slack = await openSlack();
		await using first = await openFor(slack);
		await using second = await openFor(slack);
		void first.listen();
		await first.until(() => first.heard.notes.length === 1);
		void second.listen();
		await second.until(() => second.heard.notes.length === 1);
		expect(second.heard.notes).toEqual([expect.stringContaining('2 programs listen')]);
	});

	test('it ends within a second of the signal, and leaves no socket and no timer', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		const ending = new AbortController();
		const listening = open.listen(ending.signal);
		await open.until(() => open.heard.notes.length === 1);
		ending.abort();
		await listening;
		await slack.until(() => slack.live.size === 0);
		expect(open.clock.timersLeft).toBe(0);
	});

	test.for([
		['invalid_auth', false],
		['not_allowed_token_type', false],
		['missing_scope', false],
		['internal_error', true],
		['not_known_yet', true],
		['team_added_to_org', true],
	] as const)('apps.connections.open: %s, another try may help: %j', async ([error, retryable]) => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		slack.refusals.push({status: 200, json: {ok: false, error}});
		const failure = await failureOf(open.listen());
		expect(failure.retryable).toBe(retryable);
		expect(failure.message).toContain(error);
		expect(failure.message).not.toContain(appToken);
	});

	test('a wait that is told', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		slack.refusals.push({
			status: 429,
			json: {ok: false, error: 'ratelimited'},
			headers: {'retry-after': '30'},
		});
		expect(await failureOf(open.listen())).toMatchObject({retryable: true, retryAfterMs: 30_000});
	});

	test.for(['https://slack.com/x', 'ws://evil.example/x', 'file:///etc/passwd', '', 'wss:'])(
		'the address %j is not opened',
		async url => {
			await using slack = await openSlack();
			await using open = await openFor(slack);
			slack.refusals.push({status: 200, json: {ok: true, url}});
			expect((await failureOf(open.listen())).message).toContain(
				'no address that begins with wss://',
			);
		},
	);

	test.for([
		['{"type":"disconnect","reason":"link_disabled"}', 'switch Socket Mode on'],
		['{"type":"disconnect","reason":"too_many_websockets"}', 'too_many_websockets'],
		['"hello"', 'it said no hello'],
		['', 'it closed the connection'],
	] as const)('%s instead of a hello', async ([text, says]) => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		slack.answerWith(text);
		const failure = await failureOf(open.listen());
		expect(failure.message).toContain(says);
		expect(failure.retryable).toBe(true);
		expect(failure.message).not.toContain('ticket-0123456789');
		expect(open.heard.notes).toEqual([]);
	});

	test('an address works once', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack);
		slack.refusals.push({
			status: 200,
			json: {ok: true, url: `${slack.service.url.replace('http', 'ws')}/link/?ticket=used`},
		});
		const failure = await failureOf(open.listen());
		expect(failure).toMatchObject({code: 'platform_unreachable', retryable: true});
	});

	test('200 messages over 20 breaks of all kinds arrive in order, and once on disk', async () => {
		await using slack = await openSlack();
		let written = 0;
		const {numbers, inOrder, final} = await liveThrough('slack', {
			written: settingsOf(slack),
			chats: ['C0ROOM', 'C1ROOM', 'D0ANN'],
			write(channel, text) {
				written += 1;
				slack.event(message({channel, text, ts: `${written}.000001`}));
			},
			endings: [
				() => slack.newest()?.drop(),
				() => slack.newest()?.close(1000),
				() => {
					slack.loseNextAcknowledgement();
				},
				clock => {
					clock.advance(10_000);
					slack.newest()?.send('{"type":"disconnect","reason":"refresh_requested"}');
				},
				() => {
					const refusal = {status: 503, json: {ok: false, error: 'service_unavailable'}};
					slack.refusals.push(refusal);
				},
			],
			isUp: async () => slack.until(() => slack.live.size > 0),
		});
		expect(numbers).toEqual(inOrder);
		expect([final, slack.faults]).toEqual([[], []]);
	});
});

describe('buttons', () => {
	test.for(['own', 'none', 'foreign', 'insecure'] as const)(
		'a press is answered to the one who pressed, response_url: %s',
		async kind => {
			await using slack = await openSlack();
			await using open = await openFor(slack);
			const urls = {
				own: `${slack.service.url}/actions/T1/1/secret`,
				none: '',
				foreign: 'https://slack.com.evil.example/actions',
				insecure: 'http://hooks.slack.com/actions',
			};
			void open.listen();
			slack.send(press({response_url: urls[kind]}));
			await slack.until(() => slack.acknowledged.length === 1 && slack.told.length === 1);

			expect(open.heard.presses).toEqual([
				{chat: 'C0ROOM', user: 'U0ANN', name: 'ann', thread: '4.000001', data: 'approve K7QF'},
			]);
			expect(slack.told).toEqual([
				kind === 'own'
					? {response_type: 'ephemeral', replace_original: false, text: 'Allowed'}
					: {channel: 'C0ROOM', user: 'U0ANN', text: 'Allowed', thread_ts: '4.000001'},
			]);
			expect(slack.service.faults).toEqual([]);
		},
	);

	test('a press that could not be written is not acknowledged', async () => {
		await using slack = await openSlack();
		await using open = await openFor(slack, {
			onPress: async () => {
				throw new Error('the disk is full');
			},
		});
		const listening = open.listen();
		slack.send(press());
		await expect(listening).rejects.toThrow('the disk is full');
		expect(slack.acknowledged).toEqual([]);
	});

	test('buttons stand below the text, in the last message alone', async () => {
		const speech = {
			kind: 'slack',
			settings: (url: string) => ({bot_token: botToken, api_base: url}),
			extra: {chat_id: 'C0123ABC'},
			serve: () => () => ({status: 200, json: {ok: true, channel: 'C0123ABC', ts: '5.000001'}}),
			isSending: () => true,
		} as unknown as Speech;
		await using open = await openSender(speech);
		await open.send(`${'line\n'.repeat(700)}\n\n${'word '.repeat(700)}<!channel>`, undefined, {
			buttons: [
				{label: 'Approve', data: 'approve K7QF'},
				{label: 'Deny', data: 'deny K7QF'},
			],
		});

		const bodies = open.service.calls.map(({body}) => body as Record<string, JsonValue>);
		expect(bodies.map(body => 'blocks' in body)).toEqual([false, true]);
		const blocks = bodies[1]?.['blocks'] as JsonObject[];
		const sections = blocks.slice(0, -1).map(({text}) => text as {text: string; verbatim: boolean});
		expect(sections.map(({text}) => text).join('')).toBe(bodies[1]?.['text']);
		expect(sections.every(({text, verbatim}) => verbatim && text.length <= 3000)).toBe(true);
		expect(blocks.at(-1)).toMatchObject({
			type: 'actions',
			elements: [
				{type: 'button', text: {text: 'Approve'}, value: 'approve K7QF'},
				{type: 'button', text: {text: 'Deny'}, value: 'deny K7QF'},
			],
		});
	});
});

testApprovals({
	kind: 'slack',
	people: {approver: 'U0ANN', talker: 'U0BOB', outsider: 'U0EVE'},
	places: [
		{here: {chat: 'D0ANN', isDirect: true}, elsewhere: {chat: 'D0BOB', isDirect: true}},
		{here: {chat: 'C0ROOM', isDirect: false}, elsewhere: {chat: 'C0OTHER', isDirect: false}},
	],
	async open() {
		const slack = await openSlack();
		let last = 0;
		return {
			written: settingsOf(slack),
			get faults() {
				return [...slack.faults, ...slack.service.faults];
			},
			write({chat: channel, isDirect}, user, text) {
				last += 1;
				const ts = `1700000000.${String(last).padStart(6, '0')}`;
				slack.event(message({channel, channel_type: isDirect ? 'im' : 'channel', user, text, ts}));
			},
			press({chat: id}, user, value) {
				slack.send(
					press({
						user: {id: user, username: user.toLowerCase()},
						channel: {id},
						// The message of the request is the bot's.
						message: {user: 'U0BOT', ts: '5.000001'},
						actions: [{type: 'button', action_id: 'svc.0', value}],
					}),
				);
			},
			[Symbol.asyncDispose]: async () => slack[Symbol.asyncDispose](),
		};
	},
});

test('without an app token nothing can be heard', async () => {
	await using open = await openListener('slack', {bot_token: botToken});
	expect(open.lacks).toBe('"app_token"');
});
