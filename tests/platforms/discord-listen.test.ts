import {setImmediate as turn} from 'node:timers/promises';
import {array, assert, asyncProperty, constantFrom, jsonValue, oneof, tuple} from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {runSeed} from '../helpers/random.ts';
import {testApprovals} from './approval-contract.ts';
import {ann, me, openDiscord} from './discord-server.ts';
import {liveThrough} from './live-through.ts';
import {createHeard, openListener, type Heard} from './open-listener.ts';

const [general, dm, thread] = ['100000000000000001', '100000000000000002', '100000000000000003'];

const textsOf = (heard: Heard) => [...heard.messages.values()].map(({text}) => text);

/** A server, and a listener whose session has begun. */
async function openBoth(options: Parameters<typeof openListener>[2] = {}) {
	const discord = await openDiscord();
	const open = await openListener('discord', discord.settings, {allowed: [ann], ...options});
	return {
		discord,
		open,
		heard: open.heard,
		/** A connection that has begun, and its end. */
		async begin() {
			const {length} = open.heard.notes;
			const ended = open.listen().then(
				() => undefined,
				(error: unknown) => error as DeliveryError,
			);
			await Promise.race([open.until(() => open.heard.notes.length > length), ended]);
			return {ended};
		},
		async [Symbol.asyncDispose]() {
			await open[Symbol.asyncDispose]();
			await discord[Symbol.asyncDispose]();
			expect(discord.faults).toEqual([]);
		},
	};
}

test('messages of people come in; what is older, ours, of bots or no message does not', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	discord.say(general, 'before');
	await both.begin();

	discord.say(general, 'plain');
	discord.say(general, 'of a bot', {author: {id: ann, bot: true}});
	discord.say(general, 'ours', {author: {id: me}});
	discord.say(general, 'of a webhook', {webhook_id: '1'});
	discord.say(general, 'was pinned', {type: 6});
	discord.say(general, '', {attachments: [{id: '1'}]});
	discord.tell('MESSAGE_UPDATE', {id: '100000000000000009', channel_id: general, content: 'edit'});
	discord.say(general, ` <@!${me}>, help <@${ann}> `, {mentions: [{id: ann}, {id: me}]});
	discord.say(dm, 'direct', {guild_id: undefined as never});
	await open.until(() => heard.messages.size === 3);

	const [, mention] = [...heard.messages.keys()];
	expect([...heard.messages.values()]).toEqual([
		expect.objectContaining({text: 'plain', isForUs: false, isDirect: false}),
		{
			id: mention,
			chat: general,
			user: ann,
			name: 'Ann',
			text: `help <@${ann}>`,
			isDirect: false,
			isForUs: true,
			answer: {reply_to: mention},
		},
		expect.objectContaining({chat: dm, text: 'direct', isDirect: true, answer: {}}),
	]);
	expect(heard.notes).toEqual([undefined]);
});

test('an answer quotes what others wrote; an answer to us is for us and quotes nothing', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	await both.begin();
	const [bob, other] = [{id: '900000000000000003', username: 'bob'}, 'x'.repeat(5000)];
	const asked = discord.say(general, 'what Bob asked', {author: bob});
	const reference = {type: 19, message_reference: {message_id: asked, channel_id: general}};

	discord.say(general, '1', {type: 19, referenced_message: {author: bob, content: other}});
	discord.say(general, '2', {type: 19, referenced_message: {author: {id: me}, content: 'ours'}});
	discord.say(general, '3', {type: 19, referenced_message: null});
	discord.say(general, '4', reference);
	await open.until(() => heard.messages.size === 5);
	// Nothing is asked for a stranger.
	discord.say(general, 'stranger', {...reference, author: {id: '900000000000000009'}});
	// What cannot be had is left out.
	discord.react({status: 500, json: {}});
	discord.say(general, '5', reference);
	discord.react('hangs');
	discord.say(general, '6', reference);
	await open.until(() => heard.messages.size === 7);
	await discord.sent(4);
	open.clock.advance(2000);
	await open.until(() => heard.messages.size === 8);

	expect([...heard.messages.values()].slice(1).map(({quote, isForUs}) => [isForUs, quote])).toEqual(
		[
			[false, {author: 'bob', text: other.slice(0, 4000)}],
			[true, undefined],
			[false, undefined],
			[false, {author: 'bob', text: 'what Bob asked'}],
			[false, undefined],
			[false, undefined],
			[false, undefined],
		],
	);
});

test('a press is told its answer at once, also while messages wait', async () => {
	await using both = await openBoth({onPress: async ({data}) => `${data}: ${'x'.repeat(3000)}`});
	const {discord, open, heard} = both;
	await both.begin();
	const {promise: held, resolve: release} = Promise.withResolvers<void>();
	discord.say(general, 'first');
	await open.until(() => heard.messages.size === 1);

	const press = {
		id: '700000000000000001',
		token: 'aW50ZXJhY3Rpb24-token/1',
		type: 3,
		channel_id: general,
		guild_id: '800000000000000001',
		member: {user: {id: ann, username: 'ann', global_name: null}},
		data: {component_type: 2, custom_id: 'approve K7QF'},
	};
	// Its quote is waited for.
	discord.react('hangs');
	discord.say(general, 'slow', {
		type: 19,
		message_reference: {message_id: '100000000000000007', channel_id: general},
	});
	discord.tell('INTERACTION_CREATE', {...press, type: 2, data: {name: 'approve'}});
	discord.tell('INTERACTION_CREATE', press);
	await discord.until(() => discord.told.length === 1);
	release();
	await held;
	discord.tell('INTERACTION_CREATE', {...press, member: undefined as never, user: {id: ann}});
	await discord.until(() => discord.told.length === 2);

	expect(heard.messages.size).toBe(1);
	const pressed = {chat: general, user: ann, data: 'approve K7QF'};
	expect(heard.presses).toEqual([{...pressed, name: 'ann'}, pressed]);
	expect(discord.told[0]?.path).toContain(`/${encodeURIComponent(press.token)}/`);
	expect(discord.told[0]?.body).toEqual({
		type: 4,
		data: {
			content: `approve K7QF: ${'x'.repeat(1986)}`,
			flags: 64,
			allowed_mentions: {parse: []},
		},
	});
});

test('a press whose answer is not taken harms nothing; one that cannot be stored ends the connection', async () => {
	let isFull = false;
	await using both = await openBoth({
		async onPress() {
			if (isFull) {
				throw new Error('the disk is full');
			}

			return 'Allowed';
		},
	});
	const {discord, open, heard} = both;
	const {ended} = await both.begin();
	const press = {
		id: '700000000000000001',
		token: 't',
		type: 3,
		channel_id: dm,
		user: {id: ann},
		data: {custom_id: 'deny K7QF'},
	};
	discord.react({status: 404, json: {message: 'Unknown interaction', code: 10_062}});
	discord.tell('INTERACTION_CREATE', press);
	discord.say(dm, 'after');
	await open.until(() => heard.messages.size === 1);
	isFull = true;
	discord.tell('INTERACTION_CREATE', press);
	expect(await ended).toMatchObject({message: 'the disk is full'});
});

testApprovals({
	kind: 'discord',
	people: {approver: ann, talker: '900000000000000003', outsider: '900000000000000009'},
	places: [
		{here: {chat: dm, isDirect: true}, elsewhere: {chat: '100000000000000005', isDirect: true}},
		{here: {chat: general, isDirect: false}, elsewhere: {chat: thread, isDirect: false}},
	],
	async open() {
		const discord = await openDiscord();
		// Of a direct chat Discord tells the user, of a server its member.
		const server = {guild_id: '800000000000000001'};
		return {
			...discord,
			written: discord.settings,
			write({chat, isDirect}, id, text) {
				discord.say(chat, text, {
					author: {id, username: `p${id}`},
					...(isDirect && {guild_id: undefined as never}),
				});
			},
			press({chat, isDirect}, id, custom_id) {
				const user = {id, username: `p${id}`};
				discord.tell('INTERACTION_CREATE', {
					id: '700000000000000001',
					token: 't',
					type: 3,
					channel_id: chat,
					// The message of the request is the bot's.
					message: {id: '700000000000000002', channel_id: chat, author: {id: me, bot: true}},
					data: {component_type: 2, custom_id},
					...(isDirect ? {user} : {...server, member: {user}}),
				});
			},
		};
	},
});

test('heartbeats tell what is handled; one that is not acknowledged ends the connection, which is resumed', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	const {ended} = await both.begin();
	discord.say(general, 'one');
	await open.until(() => heard.messages.size === 1);
	discord.raw({op: 1, d: null});
	await discord.until(() => discord.beats.length === 1);
	open.clock.advance(41_250 / 2);
	await discord.until(() => discord.beats.length === 2);
	discord.raw({op: 1, d: null});
	await discord.until(() => discord.beats.length === 3);
	expect(discord.beats).toEqual([2, 2, 2]);

	discord.state.answersBeats = false;
	open.clock.advance(41_250);
	await discord.until(() => discord.beats.length === 4);
	open.clock.advance(41_250);
	expect(await ended).toBeUndefined();
	await discord.until(() => discord.closeCodes.length === 1);
	expect(discord.closeCodes).toEqual([4000]);

	discord.say(general, 'two');
	discord.state.answersBeats = true;
	await both.begin();
	await open.until(() => heard.messages.size === 2);
	expect(discord.state).toMatchObject({identifies: 1, resumes: 1});
	expect(heard.again).toEqual([]);
});

test('a connection that ends as usual, or breaks, is resumed; nothing is asked for', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	const endings: Array<() => void> = [
		() => {
			discord.raw({op: 7, d: null});
		},
		() => {
			discord.end(4000);
		},
		() => {
			discord.end(1001);
		},
		() => discord.socket?.drop(),
	];
	let count = 0;
	for (const end of endings) {
		// oxlint-disable-next-line no-await-in-loop -- one connection after the other
		const {ended} = await both.begin();
		end();
		// oxlint-disable-next-line no-await-in-loop -- as above
		const error = await ended;
		expect(error === undefined || error.retryable).toBe(true);
		discord.say(general, `${(count += 1)}`);
	}

	await both.begin();
	await open.until(() => heard.messages.size === count);
	expect(textsOf(heard)).toEqual(['1', '2', '3', '4']);
	expect(discord.state.identifies).toBe(1);
	expect(discord.calls.map(({path}) => path)).toEqual(['/api/v10/gateway/bot']);
});

test.for([
	[4004, 'bot_token'],
	[4010, '4010'],
	[4011, 'too many servers'],
	[4012, '4012'],
	[4013, '4013'],
	[4014, 'Message Content Intent'],
] as const)('code %i wants other settings', async ([code, words]) => {
	await using both = await openBoth();
	both.discord.state.refusal = code;
	const {ended} = await both.begin();
	const error = await ended;
	expect(error).toBeInstanceOf(DeliveryError);
	expect(error?.message).toMatch(/^Cannot listen to discord: /);
	expect(error?.message).toContain(words);
	expect(error?.retryable).toBe(false);
	expect(error?.isPlatformDown).toBe(true);
});

test('what cannot begin is told, with the wait that is known', async () => {
	await using both = await openBoth();
	const {discord} = both;
	const outcomes: unknown[] = [];
	const tryOnce = async () => {
		const {ended} = await both.begin();
		const {code, retryable, retryAfterMs, message = ''} = (await ended) ?? {};
		outcomes.push([code, retryable, retryAfterMs]);
		return message;
	};
	discord.react({status: 401, json: {message: '401: Unauthorized', code: 0}});
	await tryOnce();
	discord.react({status: 502, text: '<html>'});
	await tryOnce();
	discord.react({status: 200, json: {url: 'ws://example.org'}});
	expect(await tryOnce()).toContain('wss://');
	discord.state.remaining = 0;
	await tryOnce();
	discord.state.remaining = 1000;
	discord.state.refusal = 4008;
	expect(await tryOnce()).toContain('4008');
	discord.state.resumeHost = 'https://example.org';
	await tryOnce();

	expect(outcomes).toEqual([
		['platform_unauthorized', false, undefined],
		['platform_failed', true, undefined],
		['platform_failed', true, undefined],
		['platform_rate_limited', true, 3_600_000],
		['platform_failed', true, undefined],
		['platform_failed', true, undefined],
	]);
});

test('after a stop, and after a session that has expired, known channels are caught up before what is new', async () => {
	const heard = createHeard();
	const discord = await openDiscord();
	const openOnce = async () => openListener('discord', discord.settings, {heard});
	{
		await using open = await openOnce();
		void open.listen();
		await open.until(() => heard.notes.length === 1);
		discord.say(general, 'g0');
		discord.say(dm, 'd0', {guild_id: undefined as never});
		discord.say(thread, 't0');
		await open.until(() => heard.messages.size === 3);
	}

	discord.forget();
	discord.drop(thread);
	const [many, texts] = [250, Array.from({length: 250}, (_, index) => `g${index + 1}`)];
	for (const text of texts) {
		discord.say(general, text);
	}

	discord.say(dm, 'd1', {guild_id: undefined as never});
	await using open = await openOnce();
	const ended = open.listen().catch((error: unknown) => error as DeliveryError);
	await open.until(() => heard.notes.length === 2);
	discord.say(general, 'new');
	await open.until(() => heard.messages.size === 3 + many + 2);
	const inGeneral = [...heard.messages.values()].filter(({chat}) => chat === general);
	expect(inGeneral.map(({text}) => text)).toEqual(['g0', ...texts, 'new']);
	expect([...heard.messages.values()].find(({text}) => text === 'd1')?.isDirect).toBe(true);
	// The session expires.
	discord.end(4009);
	expect(await ended).toBeUndefined();
	discord.forget();
	discord.say(general, 'newer');
	void open.listen();
	await open.until(() => heard.messages.size === 3 + many + 3);
	expect(textsOf(heard).at(-1)).toBe('newer');
	// The thread is gone.
	expect(heard.cursor).toEqual({
		account: me,
		chats: [
			[dm, {last: expect.any(String), isDirect: true}],
			[general, {last: [...heard.messages.keys()].at(-1), isDirect: false}],
		],
	});
	expect(discord.faults).toEqual([]);
	await open[Symbol.asyncDispose]();
	await discord[Symbol.asyncDispose]();
});

test('a catch-up waits as long as it is told, and goes on where it broke off', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	const {ended} = await both.begin();
	discord.say(general, 'g0');
	discord.say(thread, 't0');
	await open.until(() => heard.messages.size === 2);
	discord.end(4009);
	await ended;
	discord.forget();
	discord.say(general, 'g1');
	discord.say(thread, 't1');

	discord.react(
		{status: 200, json: {url: discord.url.replace('http:', 'ws:')}},
		{status: 429, json: {message: 'limited', retry_after: 1.5}, headers: {'retry-after': '2'}},
	);
	const before = discord.calls.length;
	const since = open.clock.monotonic();
	const next = await both.begin();
	await discord.sent(before + 2);
	discord.state.broken = general;
	while (discord.calls.length < before + 4) {
		open.clock.advance(10);
		// oxlint-disable-next-line no-await-in-loop -- what is asked next waits for the clock
		await turn();
	}

	expect(open.clock.monotonic() - since).toBeGreaterThanOrEqual(2000);
	expect(await next.ended).toMatchObject({code: 'platform_failed', retryable: true});

	discord.state.broken = undefined;
	discord.say(general, 'g2');
	await both.begin();
	await open.until(() => heard.messages.size === 5);
	expect(textsOf(heard).slice(-3)).toEqual(['t1', 'g1', 'g2']);
	expect(discord.state).toMatchObject({identifies: 2, resumes: 1});
	expect(discord.calls.slice(before).map(({path}) => path.split('/')[4])).toEqual([
		'bot',
		general,
		thread,
		general,
		general,
	]);
});

test('an invalid session begins anew after 1 to 5 s; one that may be resumed is', async () => {
	await using both = await openBoth();
	const {discord} = both;
	for (const d of [true, false]) {
		// oxlint-disable-next-line no-await-in-loop -- one connection after the other
		const {ended} = await both.begin();
		discord.raw({op: 9, d});
		// oxlint-disable-next-line no-await-in-loop -- as above
		expect(await ended).toMatchObject({retryable: true, retryAfterMs: 3000});
	}

	await both.begin();
	expect(discord.state).toMatchObject({identifies: 2, resumes: 1});
});

test('how far another bot heard is not gone on with', async () => {
	const heard = createHeard();
	heard.cursor = {account: '7', chats: [[general, {last: '1', isDirect: false}]]};
	await using both = await openBoth({heard});
	both.discord.say(general, 'old');
	await both.begin();
	both.discord.say(general, 'new');
	await both.open.until(() => heard.messages.size > 0);
	expect(textsOf(heard)).toEqual(['new']);
});

test('where nothing can be written, nothing counts as heard', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	const {ended} = await both.begin();
	heard.failures.push(new Error('the disk is full'));
	discord.say(general, 'one');
	discord.say(general, 'two');
	expect(await ended).toMatchObject({message: 'the disk is full'});
	expect([heard.messages.size, heard.cursor]).toEqual([0, undefined]);
	await both.begin();
	await open.until(() => heard.messages.size === 2);
	expect(textsOf(heard)).toEqual(['one', 'two']);
});

test('200 messages over 20 breaks of all kinds arrive in order, and once on disk', async () => {
	const discord = await openDiscord();
	const {numbers, inOrder, final} = await liveThrough('discord', {
		written: discord.settings,
		chats: [general, dm, thread],
		write(chat, text) {
			discord.say(chat, text);
		},
		endings: [
			() => discord.socket?.drop(),
			() => {
				discord.end(4000);
			},
			() => {
				discord.raw({op: 7, d: null});
			},
			() => {
				discord.raw({op: 9, d: false});
				discord.forget();
			},
			() => {
				discord.end(4009);
				discord.forget();
			},
		],
		isUp: async () => discord.until(() => discord.socket !== undefined),
	});
	expect(numbers).toEqual(inOrder);
	expect([final, discord.faults]).toEqual([[], []]);
	await discord[Symbol.asyncDispose]();
});

const broken = oneof(
	jsonValue(),
	constantFrom<unknown>('__proto__', 'constructor', -1, 1e300, null, [], {}, '9'.repeat(30)),
);

test('broken frames, events and messages hide no neighbour and end nothing', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	await both.begin();
	let count = 0;
	const keys = [
		'id',
		'channel_id',
		'guild_id',
		'type',
		'author',
		'content',
		'mentions',
		'referenced_message',
		'message_reference',
		'member',
		'data',
		'token',
		'user',
	];
	const message = {
		channel_id: dm,
		guild_id: '800000000000000001',
		type: 19,
		author: {id: ann},
		content: 'hello',
		mentions: [{id: me}],
		referenced_message: {author: {id: ann}, content: 'x'},
	};
	await assert(
		asyncProperty(
			constantFrom('MESSAGE_CREATE', 'INTERACTION_CREATE', 'constructor'),
			array(tuple(constantFrom(...keys), broken), {minLength: 1, maxLength: 4}),
			broken,
			async (name, changes, frame) => {
				count += 1;
				const id = `${100_000_000_000_000_000n + BigInt(count)}`;
				discord.tell(name, {id, ...message, ...Object.fromEntries(changes)});
				discord.tell(name, frame as JsonObject);
				discord.raw({...(frame as JsonObject), op: name});
				discord.say(general, `neighbour ${count}`);
				await open.until(() => textsOf(heard).at(-1) === `neighbour ${count}`);
			},
		),
		{numRuns: propertyRuns(200), seed: runSeed},
	);
	for (const {text, quote, id, user} of heard.messages.values()) {
		expect([text.length <= 100_000, (quote?.text.length ?? 0) <= 4000]).toEqual([true, true]);
		expect([id, user].every(one => /^\d{17,20}$/.test(one))).toBe(true);
	}
});

test('what is kept is bounded: channels, and messages that wait', async () => {
	await using both = await openBoth();
	const {discord, open, heard} = both;
	const {ended} = await both.begin();
	for (let index = 0; index < 600; index++) {
		discord.say(
			`${200_000_000_000_000_000n + BigInt(index)}`,
			'x'.repeat(index === 0 ? 200_000 : 1),
		);
	}

	await open.until(() => heard.messages.size === 600);
	const {chats} = heard.cursor as unknown as {chats: ReadonlyArray<readonly [string, unknown]>};
	expect([chats.length, chats[0]?.[0]]).toEqual([500, '200000000000000100']);
	expect(textsOf(heard)[0]).toHaveLength(100_000);

	// A quote that is waited for holds all others back.
	discord.react('hangs');
	discord.say(general, 'slow', {
		type: 19,
		message_reference: {message_id: '100000000000000007', channel_id: general},
	});
	for (let index = 0; index < 1001; index++) {
		discord.say(general, `${index}`);
	}

	expect(await ended).toMatchObject({code: 'platform_failed', retryable: true});
});
