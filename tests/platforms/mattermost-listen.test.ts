import {setImmediate as turn} from 'node:timers/promises';
import {array, assert, asyncProperty, constantFrom, jsonValue, oneof, tuple} from 'fast-check';
import {expect, test} from 'vitest';
import type {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {runSeed} from '../helpers/random.ts';
import {testApprovals} from './approval-contract.ts';
import {liveThrough} from './live-through.ts';
import {ann, channelOf, me, openMattermost} from './mattermost-server.ts';
import {createHeard, openListener, type Heard} from './open-listener.ts';

const [town, dm, other] = [channelOf(1), channelOf(2), channelOf(3)];
const direct = {channel_type: 'D'};

const textsOf = (heard: Heard) => [...heard.messages.values()].map(({text}) => text);

/** A server, and a listener. */
async function openBoth(options: Parameters<typeof openListener>[2] = {}) {
	const mattermost = await openMattermost();
	const open = await openListener('mattermost', mattermost.settings, {
		allowed: [ann],
		...options,
	});
	return {
		mattermost,
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
			await mattermost[Symbol.asyncDispose]();
			expect(mattermost.faults).toEqual([]);
		},
	};
}

test('posts of people come in; what is older, ours, of bots or of the server does not', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	mattermost.say(town, 'before');
	await both.begin();

	const plain = mattermost.say(town, 'plain');
	mattermost.say(town, 'ours', {user_id: me});
	mattermost.say(town, 'of a bot', {props: {from_bot: 'true'}});
	mattermost.say(town, 'of a webhook', {props: {from_webhook: 'true'}});
	mattermost.say(town, 'ann joined', {type: 'system_join_channel'});
	mattermost.say(town, ' ', {file_ids: ['x']});
	mattermost.tell('post_edited', {post: JSON.stringify(mattermost.add(town, 'edited'))});
	mattermost.say(dm, 'direct', {data: direct});
	await open.until(() => heard.messages.size === 2);

	expect([...heard.messages.values()]).toEqual([
		{
			id: plain,
			chat: town,
			user: ann,
			name: 'ann',
			thread: plain,
			text: 'plain',
			isDirect: false,
			isForUs: false,
			answer: {thread_id: plain},
		},
		expect.objectContaining({chat: dm, text: 'direct', isDirect: true, answer: {}}),
	]);
	expect([...heard.messages.values()].at(-1)).not.toHaveProperty('thread');
});

test.for<[text: string, mentions: readonly string[], isForUs: boolean, heard: string]>([
	['@svc.bot help', [me], true, 'help'],
	['@svc.bot: help', [], true, 'help'],
	['@SVC.bot, help @ann', [], true, 'help @ann'],
	['please, @svc.bot.', [], true, 'please, @svc.bot.'],
	['a keyword of it', [ann, me], true, 'a keyword of it'],
	['@svc.bot2 help', [], false, '@svc.bot2 help'],
	['@svc.bot.org help', [], false, '@svc.bot.org help'],
	['mail@svc.bot', [], false, 'mail@svc.bot'],
	['@svcxbot help', [], false, '@svcxbot help'],
	['@all: lunch', [ann, me], false, '@all: lunch'],
	['@here @svc.bot: lunch', [ann, me], true, '@here @svc.bot: lunch'],
])('"%s" with the mentions %j is for the bot: %s', async ([text, mentions, isForUs, left]) => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	await both.begin();
	mattermost.say(town, text, {data: {mentions: JSON.stringify(mentions)}});
	await open.until(() => heard.messages.size === 1);
	expect([...heard.messages.values()]).toMatchObject([{text: left, isForUs}]);
});

test('a thread in which the bot wrote is for it; another one is quoted', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	const asked = mattermost.say(town, 'x'.repeat(5000));
	const answered = mattermost.say(town, 'asked before');
	mattermost.say(town, 'our answer', {root_id: answered, user_id: me});
	const sent = mattermost.say(town, 'a delivery', {user_id: me});
	await both.begin();

	// Nothing is asked for a stranger.
	mattermost.say(town, '0', {root_id: asked, user_id: channelOf(7)});
	mattermost.say(town, '1', {root_id: asked});
	mattermost.say(town, '2', {root_id: answered});
	mattermost.say(town, '3', {root_id: sent});
	mattermost.say(town, '4', {root_id: asked});
	await open.until(() => heard.messages.size === 5);
	mattermost.say(town, 'ours', {root_id: asked, user_id: me});
	mattermost.say(town, '5', {root_id: asked});
	mattermost.say(dm, '6', {root_id: sent, data: direct});
	mattermost.say(town, '7', {root_id: channelOf(9)});
	await open.until(() => heard.messages.size === 8);

	const quote = {author: ann, text: 'x'.repeat(4000)};
	expect(
		[...heard.messages.values()].map(({thread, isForUs, quote: quoted, answer}) => [
			thread === answer.thread_id && thread,
			isForUs,
			quoted,
		]),
	).toEqual([
		[asked, false, undefined],
		[asked, false, quote],
		[answered, true, undefined],
		[sent, true, undefined],
		[asked, false, quote],
		[asked, true, undefined],
		[sent, true, undefined],
		[channelOf(9), false, undefined],
	]);
	// Each thread is asked for once.
	expect(mattermost.calls.filter(({path}) => path.endsWith('/thread'))).toHaveLength(4);
});

test('a thread that does not come within 2 s is left out', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	const root = mattermost.say(town, 'root');
	await both.begin();
	mattermost.react('hangs');
	mattermost.say(town, 'slow', {root_id: root});
	await mattermost.sent(2);
	open.clock.advance(2000);
	await open.until(() => heard.messages.size === 1);
	expect(heard.messages.values().next().value?.quote).toBeUndefined();
});

test('a ping every 30 s; without an answer within 10 s the connection ends', async () => {
	await using both = await openBoth();
	const {mattermost, open} = both;
	const {ended} = await both.begin();
	open.clock.advance(30_000);
	await mattermost.until(() => mattermost.pings.length === 1);
	// Its answer comes before this.
	mattermost.say(dm, 'hello', {data: direct});
	await open.until(() => open.heard.messages.size === 1);
	open.clock.advance(29_000);
	mattermost.state.answersPings = false;
	open.clock.advance(1000);
	await mattermost.until(() => mattermost.pings.length === 2);
	open.clock.advance(10_000);
	expect(await ended).toBeUndefined();
	await mattermost.until(() => mattermost.socket === undefined);
});

test('what cannot begin is told', async () => {
	await using both = await openBoth();
	const {mattermost, open} = both;
	const outcomes: unknown[] = [];
	const tryOnce = async () => {
		const {ended} = await both.begin();
		const {code, retryable, message = ''} = (await ended) ?? {};
		outcomes.push([code, retryable]);
		expect(message).not.toContain('mattermost-token');
		return message;
	};
	const failed = (status: number) => ({
		status,
		json: {id: 'api.context.session_expired.app_error', message: 'No.', status_code: status},
	});
	mattermost.react(failed(401));
	await tryOnce();
	mattermost.react(failed(500));
	await tryOnce();
	mattermost.react({status: 200, json: {id: me}});
	expect(await tryOnce()).toContain('which user the bot is');

	mattermost.state.saysHello = false;
	let isOver = false;
	const silent = tryOnce().finally(() => {
		isOver = true;
	});
	await mattermost.sent(4);
	const hurry = async (): Promise<void> => {
		if (!isOver) {
			open.clock.advance(100);
			await turn();
			await hurry();
		}
	};
	await hurry();
	expect(await silent).toContain('nothing came for 10 s');

	expect(outcomes).toEqual([
		['platform_unauthorized', false],
		['platform_failed', true],
		['platform_failed', true],
		['platform_unreachable', true],
	]);
});

test('after a break, a stop and a gap, known channels are caught up before what is new', async () => {
	const heard = createHeard();
	await using mattermost = await openMattermost();
	{
		await using open = await openListener('mattermost', mattermost.settings, {heard});
		void open.listen();
		await open.until(() => heard.notes.length === 1);
		mattermost.say(town, 't0');
		mattermost.say(dm, 'd0', {data: direct});
		mattermost.say(other, 'o0');
		await open.until(() => heard.messages.size === 3);

		// One is left out.
		mattermost.add(town, 't1');
		mattermost.tellPost(mattermost.add(town, 't2'), {}, 1);
		await open.until(() => heard.messages.size === 5);

		mattermost.socket?.close(1001);
		await mattermost.until(() => mattermost.socket === undefined);
		mattermost.say(town, 't3');
		void open.listen();
		await open.until(() => heard.messages.size === 6);
		expect(textsOf(heard)).toEqual(['t0', 'd0', 'o0', 't1', 't2', 't3']);
	}

	// What is changed is listed, and was heard. What was deleted is not heard.
	const [first] = heard.messages.keys();
	mattermost.add(town, 'old', {create_at: 1_699_999_000_000, edit_at: 1});
	mattermost.add(town, 'deleted', {delete_at: 1_700_000_000_500});
	mattermost.state.left.add(other);
	for (let index = 4; index < 300; index++) {
		mattermost.say(town, `t${index}`);
	}

	mattermost.say(dm, 'd1');
	await using open = await openListener('mattermost', mattermost.settings, {heard});
	void open.listen();
	await open.until(() => heard.messages.size === 303);
	expect(textsOf(heard).filter(text => text.startsWith('t'))).toEqual(
		Array.from({length: 300}, (_, index) => `t${index}`),
	);
	expect([...heard.messages.values()].find(({text}) => text === 'd1')?.isDirect).toBe(true);
	expect(heard.messages.keys().next().value).toBe(first);
	mattermost.say(town, 'last');
	await open.until(() => textsOf(heard).at(-1) === 'last');
	// The bot is no longer in one of them.
	expect((heard.cursor as {chats: ReadonlyArray<[string]>}).chats.map(([chat]) => chat)).toEqual([
		dm,
		town,
	]);
	expect(mattermost.faults).toEqual([]);
});

test('how far another account heard is not gone on with', async () => {
	const heard = createHeard();
	heard.cursor = {account: 'other', chats: [[town, {first: 0, last: 0, isDirect: false}]]};
	await using mattermost = await openMattermost();
	mattermost.say(town, 'old');
	await using open = await openListener('mattermost', mattermost.settings, {heard});
	void open.listen();
	await open.until(() => heard.notes.length === 1);
	mattermost.say(town, 'new');
	await open.until(() => textsOf(heard).includes('new'));
	expect(textsOf(heard)).toEqual(['new']);
});

test('posts that came in another order are not lost; a day later nothing is heard again', async () => {
	const heard = createHeard();
	await using mattermost = await openMattermost();
	const first = await openListener('mattermost', mattermost.settings, {heard});
	void first.listen();
	await first.until(() => heard.notes.length === 1);
	mattermost.say(town, 't0');
	mattermost.pass(1000);
	const late = mattermost.add(town, 'late');
	mattermost.say(town, 't1');
	await first.until(() => heard.messages.size === 2);
	await first[Symbol.asyncDispose]();

	await using open = await openListener('mattermost', mattermost.settings, {heard});
	void open.listen();
	await open.until(() => heard.messages.size === 3);
	expect(heard.messages.has(late['id'] as string)).toBe(true);
	expect(heard.again).not.toEqual([]);
	heard.again.length = 0;
	open.clock.advance(86_400_000);
	mattermost.socket?.drop();
	await mattermost.until(() => mattermost.socket === undefined);
	void open.listen().catch(() => {});
	await open.until(() => heard.notes.length === 3);
	mattermost.say(town, 't2');
	await open.until(() => heard.messages.size === 4);
	expect(heard.again).toEqual([]);
});

test('a channel that cannot be read holds the others back ten times, and no longer', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	const {ended} = await both.begin();
	mattermost.say(town, 't0');
	mattermost.say(other, 'o0');
	await open.until(() => heard.messages.size === 2);
	mattermost.socket?.close();
	await ended;
	mattermost.state.broken = town;
	mattermost.say(other, 'o1');
	for (let nth = 1; nth < 10; nth++) {
		// oxlint-disable-next-line no-await-in-loop -- one connection after the other
		const next = await both.begin();
		// oxlint-disable-next-line no-await-in-loop -- as above
		expect(await next.ended).toMatchObject({code: 'platform_failed', retryable: true});
	}

	expect(heard.messages.size).toBe(2);
	await both.begin();
	await open.until(() => heard.messages.size === 3);
	expect(textsOf(heard).at(-1)).toBe('o1');
});

test('where nothing can be written, nothing counts as heard', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	const {ended} = await both.begin();
	mattermost.say(town, 'zero');
	await open.until(() => heard.messages.size === 1);
	heard.failures.push(new Error('the disk is full'));
	mattermost.say(town, 'one');
	mattermost.say(town, 'two');
	expect(await ended).toMatchObject({message: 'the disk is full'});
	expect(heard.messages.size).toBe(1);
	await both.begin();
	await open.until(() => heard.messages.size === 3);
	expect(textsOf(heard)).toEqual(['zero', 'one', 'two']);
});

test('200 posts over 20 breaks of all kinds arrive in order, and once on disk', async () => {
	await using mattermost = await openMattermost();
	const {numbers, inOrder, final} = await liveThrough('mattermost', {
		written: mattermost.settings,
		chats: [town, dm, other],
		write(chat, text) {
			mattermost.say(chat, text);
		},
		endings: [
			() => mattermost.socket?.drop(),
			() => mattermost.socket?.close(1001),
			// The next event shows it.
			() => {
				mattermost.tell('typing', {}, 1);
			},
			() => {
				mattermost.react({status: 503, text: ''});
				mattermost.socket?.drop();
			},
		],
		isUp: async () => mattermost.until(() => mattermost.socket !== undefined),
	});
	expect(numbers).toEqual(inOrder);
	expect([final, mattermost.faults]).toEqual([[], []]);
});

const broken = oneof(
	jsonValue(),
	constantFrom<unknown>('__proto__', 'constructor', -1, 1e300, null, [], {}, 'a'.repeat(26)),
);

test('broken frames, events and posts hide no neighbour and end nothing', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	await both.begin();
	let count = 0;
	const keys = ['id', 'channel_id', 'user_id', 'root_id', 'create_at', 'message', 'type', 'props'];
	const dataKeys = ['post', 'mentions', 'sender_name', 'channel_type'];
	const change = (from: readonly string[]) =>
		array(tuple(constantFrom(...from), broken), {maxLength: 3});
	await assert(
		asyncProperty(change(keys), change(dataKeys), broken, async (post, data, frame) => {
			count += 1;
			const written = mattermost.add(other, 'hello');
			const changed = JSON.stringify({...written, ...Object.fromEntries(post)});
			mattermost.tell('posted', {post: changed, ...Object.fromEntries(data)});
			mattermost.raw(JSON.stringify(frame));
			mattermost.raw(`{"event": ${JSON.stringify(frame)}, "seq": "x", "data": ${changed}}`);
			mattermost.raw('{"event":');
			mattermost.say(town, `neighbour ${count}`);
			await open.until(() => textsOf(heard).at(-1) === `neighbour ${count}`);
		}),
		{numRuns: propertyRuns(200), seed: runSeed},
	);
	for (const {text, id, user} of heard.messages.values()) {
		expect(text.length).toBeLessThanOrEqual(100_000);
		expect([id, user].every(one => /^[a-z0-9]{26}$/.test(one))).toBe(true);
	}
});

test('what is kept is bounded: channels, texts, and posts that wait', async () => {
	await using both = await openBoth();
	const {mattermost, open, heard} = both;
	const {ended} = await both.begin();
	for (let index = 0; index < 600; index++) {
		mattermost.say(channelOf(index), 'x'.repeat(index === 0 ? 200_000 : 1));
	}

	await open.until(() => heard.messages.size === 600);
	const {chats} = heard.cursor as unknown as {chats: ReadonlyArray<readonly [string, unknown]>};
	expect([chats.length, chats[0]?.[0]]).toEqual([500, channelOf(100)]);
	expect(textsOf(heard)[0]).toHaveLength(100_000);

	// A thread that is waited for holds all others back.
	mattermost.react('hangs');
	for (let index = 0; index < 1002; index++) {
		mattermost.say(town, `${index}`, {root_id: channelOf(9)});
	}

	expect(await ended).toMatchObject({code: 'platform_failed', retryable: true});
});

testApprovals({
	kind: 'mattermost',
	people: {approver: ann, talker: channelOf(8), outsider: channelOf(9)},
	places: [
		{here: {chat: dm, isDirect: true}, elsewhere: {chat: other, isDirect: true}},
		{here: {chat: town, isDirect: false}, elsewhere: {chat: other, isDirect: false}},
	],
	async open() {
		const mattermost = await openMattermost();
		return {
			...mattermost,
			written: mattermost.settings,
			write({chat, isDirect}, user_id, text) {
				mattermost.say(chat, text, {user_id, data: isDirect ? direct : {}});
			},
		};
	},
});
