import {expect, test} from 'vitest';
import type {Config} from '../../source/config/config.ts';
import type {PlatformView} from '../../source/core/config-view.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {Memos} from '../../source/core/memos.ts';
import {createDeliverer} from '../../source/delivery/create-deliverer.ts';
import {testMessage} from '../../source/platforms/outgoing-message.ts';
import {targetKinds} from '../../source/platforms/platforms.ts';
import {answer, openWork} from '../gateway/runs/work-fixture.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {pigeon} from '../platforms/pigeon/descriptor.ts';
import {openLoft, type Reaction} from '../platforms/pigeon/loft.ts';
import {startMs} from '../store/samples.ts';
import {failureOf, makeMessage} from './delivery-fixture.ts';

const windowMs = 60_000;
const token = 'pigeon-token-0123456789';

/** `pigeon` knows a key again for a minute, `dove` knows none. */
const kinds = [...targetKinds, pigeon('pigeon', {keyWindowMs: windowMs}), pigeon('dove')];

/** A deliverer of a gateway with both, and the pauses that it makes. */
function openPigeons({
	url,
	clock,
	memos,
	perMinute,
}: {
	url: string;
	clock: FakeClock;
	memos?: Memos;
	perMinute?: number;
}) {
	const settings = {
		enabled: true,
		homeChannel: 'rome',
		apiBase: url,
		token,
		...(perMinute !== undefined && {perMinute}),
	};
	const config = {
		model: {},
		itemErrors: new Map(),
		secretValues: [],
		platforms: {pigeon: settings, dove: settings},
		profiles: {of: () => ({environment: {}})},
	} as unknown as Config;
	const pauses = new Map<number, PromiseWithResolvers<void>>();
	const pause = (ms: number) => {
		const waiting = pauses.get(ms) ?? Promise.withResolvers<void>();
		pauses.set(ms, waiting);
		return waiting;
	};
	const platforms: PlatformView[] = [];
	const deliverer = createDeliverer({
		clock: {
			...clock,
			after(ms, callback) {
				pause(ms).resolve();
				return clock.after(ms, callback);
			},
		},
		log: silentLogger,
		config: () => config,
		environment: () => ({}),
		memos,
		kinds,
		onPlatformChanged: platform => platforms.push(platform),
	});
	return {
		deliverer,
		platforms,
		/** Lets a pause of that length pass, once it is made. */
		async pass(ms: number) {
			await pause(ms).promise;
			pauses.delete(ms);
			clock.advance(ms);
		},
	};
}

const threeLines = 'one\ntwo\nthree';

type Work = Awaited<ReturnType<typeof openWork>>;

/** A worker whose answers of three lines go to a made-up platform, through the journal and the deliverer of a gateway. */
async function openFlight(loft: {readonly url: string}, found?: Pick<Work, 'clock' | 'home'>) {
	const opened: Array<ReturnType<typeof openPigeons>> = [];
	const work = await openWork({
		agent: async () => answer(threeLines),
		deliverer({store, clock}) {
			const pigeons = openPigeons({url: loft.url, clock, memos: store.memos});
			opened.push(pigeons);
			return pigeons.deliverer;
		},
		...(found && {found}),
	});
	const [pigeons] = opened;
	if (!pigeons) {
		throw new Error('no deliverer was asked for');
	}

	return {
		...work,
		pass: async (ms: number) => pigeons.pass(ms),
		deliverer: pigeons.deliverer,
		send: async (kind = 'pigeon') => work.accept({target: {kind, extra: {}}}),
		[Symbol.asyncDispose]: async () => work[Symbol.asyncDispose](),
	};
}

test('a long text arrives in parts, in their order, each with a key of its own', async () => {
	await using loft = await openLoft();
	await using flight = await openFlight(loft);
	await flight.send();

	expect(await flight.work()).toMatchObject({
		state: 'done',
		deliveryAttempt: 1,
		transcript: [{kind: 'delivery', text: 'pigeon to rome (3 parts)'}],
	});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'three']);
	expect(new Set(loft.requests.map(({key}) => key)).size).toBe(3);
	expect(loft.requests.map(({key}) => key)).toEqual(
		[0, 1, 2].map(() => expect.stringMatching(/^[0-9a-f]{25}$/)),
	);
});

test('an answer that has arrived and is handed over again is another message, whose parts have other keys', async () => {
	await using loft = await openLoft();
	await using flight = await openFlight(loft);
	const id = await flight.send();
	await flight.work();
	await flight.store.runs.handOver(id, {kind: 'pigeon', extra: {}});

	expect(await flight.work()).toMatchObject({state: 'done', deliveryAttempt: 2});
	expect(loft.arrived).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
	expect(new Set(loft.requests.map(({key}) => key)).size).toBe(6);
});

test.for([
	[{}, 'there, where the part that is missing follows', ['one', 'two', 'three']],
	[{chat_id: 'paris'}, 'to another place, which gets all of it', ['one', 'one', 'two', 'three']],
] as const)(
	'an answer of which a part has arrived is handed over again: %j, %s',
	async ([extra, _words, arrived]) => {
		await using loft = await openLoft('takes', {status: 400});
		await using flight = await openFlight(loft);
		const id = await flight.send();
		expect(await flight.work()).toMatchObject({
			state: 'delivering',
			error: expect.stringMatching(/\(part 2 of 3\)$/),
		});
		await flight.store.runs.cancel(id);
		// The platform is not asked again at once.
		flight.clock.advance(300_000);
		await flight.store.runs.handOver(id, {kind: 'pigeon', extra});

		expect(await flight.work()).toMatchObject({state: 'done'});
		expect(loft.arrived).toEqual(arrived);
	},
);

test('up to 60 s that a platform asks for are waited inside the delivery and are no try', async () => {
	await using loft = await openLoft('takes', {status: 429, headers: {'retry-after': '40'}});
	await using flight = await openFlight(loft);
	await flight.send();

	const working = flight.work();
	await flight.pass(40_000);
	expect(await working).toMatchObject({state: 'done', deliveryAttempt: 1});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three']);
	expect(loft.requests[1]).toEqual(loft.requests[2]);
});

test('a platform that asks for no wait at all is asked again after a second', async () => {
	await using loft = await openLoft({status: 429, headers: {'retry-after': '0'}});
	await using flight = await openFlight(loft);
	await flight.send();

	const working = flight.work();
	await flight.pass(1000);
	expect(await working).toMatchObject({state: 'done', deliveryAttempt: 1});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'one', 'two', 'three']);
});

test('a longer wait puts the next try off, which goes on with the part that is missing', async () => {
	const later = {status: 429, body: '{"ok":false,"parameters":{"retry_after":300}}'};
	await using loft = await openLoft('takes', later);
	await using flight = await openFlight(loft);
	await flight.send();

	expect(await flight.work()).toMatchObject({
		state: 'delivering',
		nextAttemptAt: startMs + 300_000,
		error: expect.stringContaining('answered 429'),
	});
	flight.clock.advance(300_000);
	expect(await flight.work()).toMatchObject({state: 'done', deliveryAttempt: 2});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three']);
});

test('the same part is not waited for again and again: above 60 s in all the retry plan takes over', async () => {
	const later: Reaction = {status: 429, headers: {'retry-after': '40'}};
	await using loft = await openLoft(later, later);
	await using flight = await openFlight(loft);
	await flight.send();

	const working = flight.work();
	await flight.pass(40_000);
	expect(await working).toMatchObject({
		state: 'delivering',
		nextAttemptAt: startMs + 40_000 + 40_000,
	});
});

test('a part that breaks after it was written is repeated with its key, where the platform knows that again', async () => {
	await using loft = await openLoft('takes', 'breaks');
	await using flight = await openFlight(loft);
	await flight.send();

	const working = flight.work();
	await flight.pass(1000);
	expect(await working).toMatchObject({state: 'done', deliveryAttempt: 1});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three']);
	expect(loft.arrived).toEqual(['one', 'two', 'three']);
});

test('a platform that answers an unclear part with "busy" is asked again by the plan within the window, and not after it', async () => {
	await using loft = await openLoft('breaks', {status: 503}, {status: 503});
	await using flight = await openFlight(loft);
	await flight.send();

	const working = flight.work();
	await flight.pass(1000);
	expect(await working).toMatchObject({
		state: 'delivering',
		error: expect.stringContaining('503; an earlier try of it may have arrived'),
	});
	flight.clock.advance(windowMs);
	expect(await flight.work()).toMatchObject({
		state: 'uncertain',
		error: expect.stringContaining('broke off while it sent part 1 of 3'),
	});
	expect(loft.requests).toHaveLength(2);
});

test('without such a key it is uncertain, and goes on only when a person says so', async () => {
	await using loft = await openLoft('takes', 'breaks');
	await using flight = await openFlight(loft);
	await flight.send('dove');

	expect(await flight.work()).toMatchObject({
		state: 'uncertain',
		deliveryAttempt: 1,
		error: expect.stringMatching(
			/^Cannot send to dove: 127\.0\.0\.1:\d+: .+; the message may have arrived \(part \d of 3\)$/,
		),
	});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two']);

	flight.clock.advance(1);
	expect(await flight.store.runs.retry(1)).toBe(true);
	expect(await flight.work()).toMatchObject({state: 'done'});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three']);
});

test('no connection is no doubt: nothing was written, and the plan tries again', async () => {
	await using flight = await openFlight({url: 'http://127.0.0.1:1'});
	await flight.send('dove');

	expect(await flight.work()).toMatchObject({
		state: 'delivering',
		error: expect.stringContaining('Cannot send to dove: 127.0.0.1:1: ECONNREFUSED'),
	});
	expect(flight.deliverer.platforms()).toMatchObject([
		{name: 'pigeon', state: 'connected'},
		{name: 'dove', state: 'failed', reason: expect.stringContaining('ECONNREFUSED')},
	]);
});

/** A worker dies while the second part of three is on its way; what another finds. */
async function crashInFlight(kind: string) {
	const stack = new AsyncDisposableStack();
	const loft = stack.use(await openLoft('takes', 'hangs'));
	const flight = stack.use(await openFlight(loft));
	await flight.send(kind);
	const working = flight.work();
	await loft.came(2);
	const home = await flight.home.crash();
	flight.controller.abort('stopping');
	await working;
	return {loft, home, clock: flight.clock, [Symbol.asyncDispose]: async () => stack.disposeAsync()};
}

test('after a restart in the middle the delivery goes on: what arrived stays, what may have is repeated with its key', async () => {
	await using crash = await crashInFlight('pigeon');
	await using flight = await openFlight(crash.loft, crash);

	expect(await flight.work()).toMatchObject({state: 'done', deliveryAttempt: 2});
	expect(crash.loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three']);
	expect(crash.loft.requests[1]).toEqual(crash.loft.requests[2]);
	expect(crash.loft.arrived).toEqual(['one', 'two', 'three']);
});

test.for([
	['pigeon', windowMs],
	['dove', 0],
] as const)(
	'a restart of %s after %i ms knows no key again: uncertain, and nothing is sent',
	async ([kind, afterMs]) => {
		await using crash = await crashInFlight(kind);
		crash.clock.advance(afterMs);
		await using flight = await openFlight(crash.loft, crash);

		expect(await flight.work()).toMatchObject({
			state: 'uncertain',
			error: expect.stringContaining('broke off while it sent part 2 of 3'),
		});
		expect(crash.loft.requests).toHaveLength(2);
	},
);

test.for([
	[403, 'platform_rejected', false],
	[401, 'platform_unauthorized', true],
	[500, 'platform_failed', true],
	[302, 'platform_rejected', false],
] as const)(
	'an answer of %i is %s, tried again: %s; its words hold no credential',
	async ([status, code, retryable]) => {
		await using loft = await openLoft({status, body: `["no entry with ${token} to rome-of-old"]`});
		const pigeons = openPigeons({url: loft.url, clock: createFakeClock(startMs)});
		await using deliverer = pigeons.deliverer;
		const message = makeMessage('pigeon', {chat_id: 'rome-of-old'});

		const failure = await failureOf(deliverer.deliver(message, new AbortController().signal));
		expect(failure).toEqual({
			code,
			message: expect.stringMatching(
				RegExp(
					`^Cannot send to pigeon: 127\\.0\\.0\\.1:\\d+ answered ${status}: \\["no entry with \\[redacted\\] to rome-of-old"\\]$`,
				),
			),
			retryable,
		});
		expect(pigeons.platforms).toHaveLength(status === 401 || status === 500 ? 1 : 0);
	},
);

test('while a sender waits, 5 s at most are waited; the same event goes on where it was', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft(
		'takes',
		{status: 429, headers: {'retry-after': '3'}},
		{status: 429, headers: {'retry-after': '3'}},
	);
	await using work = await openWork({});
	const pigeons = openPigeons({url: loft.url, clock, memos: work.store.memos});
	await using deliverer = pigeons.deliverer;
	const {runId: _, ...rest} = makeMessage('pigeon', {}, {text: threeLines});
	const deliver = async (delivery: string) =>
		deliverer.deliver({...rest, delivery, identifier: 'event-1'}, new AbortController().signal);

	const first = failureOf(deliver('d1'));
	await pigeons.pass(3000);
	expect(await first).toMatchObject({code: 'platform_rate_limited'});
	expect(await deliver('d2')).toEqual({summary: 'pigeon to rome (the last 2 of 3 parts)'});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'two', 'three']);
	expect(await deliver('d3')).toEqual({summary: 'already delivered by an earlier try'});
	clock.advance(24 * 3_600_000);
	expect(await deliver('d4')).toEqual({summary: 'pigeon to rome (3 parts)'});
});

test('texts for one chat follow each other whole, one for another chat waits for none of them', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft('hangs');
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	const controllers = [new AbortController(), new AbortController(), new AbortController()];
	const [first, second, third] = ['a1\na2', 'b1\nb2', 'c1\nc2'].map((text, index) =>
		failureOf(
			deliverer.deliver(
				makeMessage('dove', {chat_id: 'rome'}, {text, runId: index + 1}),
				controllers[index]?.signal ?? AbortSignal.abort(),
			),
		).catch(() => 'arrived'),
	);
	await loft.came(1);
	await deliverer.deliver(
		makeMessage('dove', {chat_id: 'oslo'}, {text: 'd1', runId: 4}),
		new AbortController().signal,
	);
	// Whoever waits for a turn is ended at once.
	controllers[1]?.abort('cancelled');
	expect(await second).toMatchObject({code: 'delivery_aborted'});
	controllers[0]?.abort('cancelled');
	expect(await first).toMatchObject({code: 'delivery_uncertain'});
	expect(await third).toBe('arrived');
	expect(loft.requests.map(({text}) => text)).toEqual(['a1', 'd1', 'c1', 'c2']);
});

/** A message that no run is behind: its sender waits. */
function direct(extra: JsonObject, text = 'one', kind = 'pigeon') {
	const {runId: _, ...message} = makeMessage(kind, extra, {text, delivery: 'direct'});
	return message;
}

const never = new AbortController().signal;

test('a sender who waits hears at once that a platform has failed, also while a run waits for it', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft({status: 503, body: 'down'});
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	await failureOf(deliverer.deliver(makeMessage('pigeon', {chat_id: 'rome'}, {runId: 1}), never));
	// It waits until the platform is asked again, with the turn of its chat.
	const waiting = deliverer.deliver(makeMessage('pigeon', {chat_id: 'rome'}, {runId: 2}), never);
	await new Promise(setImmediate);

	expect(await failureOf(deliverer.deliver(direct({chat_id: 'rome'}), never))).toMatchObject({
		code: 'platform_failed',
		message: expect.stringMatching(
			/^Cannot deliver: platform pigeon has failed, next check in 5 s: /,
		),
	});
	await pigeons.pass(5000);
	await waiting;
});

test('a test of a platform that has failed is sent at once, and when it arrives the platform is connected', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft({status: 503, body: 'down'}, 'takes', 'takes');
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	await failureOf(deliverer.deliver(makeMessage('pigeon', {chat_id: 'rome'}, {runId: 1}), never));
	const waiting = deliverer.deliver(makeMessage('pigeon', {chat_id: 'rome'}, {runId: 2}), never);
	await new Promise(setImmediate);

	await deliverer.deliver(testMessage('pigeon', {chat_id: 'rome'}, clock.now()), never);
	expect(loft.requests).toHaveLength(2);
	expect(deliverer.platforms()[0]).toEqual({name: 'pigeon', state: 'connected'});
	await pigeons.pass(5000);
	await waiting;
});

test('a sender who waits does so for 5 s in all: its parts, its tries and the texts before it', async () => {
	const clock = createFakeClock(startMs);
	const slow = {status: 429, headers: {'retry-after': '2'}, body: '{}'};
	await using loft = await openLoft('takes', slow, 'takes', slow, slow);
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	const delivery = failureOf(
		deliverer.deliver(direct({chat_id: 'rome'}, 'one\ntwo\nthree'), never),
	);
	await pigeons.pass(2000);
	await pigeons.pass(2000);

	expect(await delivery).toMatchObject({
		code: 'platform_rate_limited',
		message: expect.stringContaining('(part 3 of 3)'),
	});
	expect(loft.requests.map(({text}) => text)).toEqual(['one', 'two', 'two', 'three', 'three']);
});

test('a sender who waits for the turn of a chat gives up after 5 s, and its text is not sent later', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft('hangs');
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	const first = failureOf(
		deliverer.deliver(makeMessage('dove', {chat_id: 'rome'}, {text: 'a', runId: 1}), never),
	);
	await loft.came(1);
	const second = failureOf(deliverer.deliver(direct({chat_id: 'rome'}, 'b', 'dove'), never));
	await pigeons.pass(5000);
	expect(await second).toMatchObject({code: 'delivery_busy'});
	clock.advance(25_000);
	expect(await first).toMatchObject({code: 'delivery_uncertain'});
	await deliverer.deliver(makeMessage('dove', {chat_id: 'rome'}, {text: 'c', runId: 2}), never);
	expect(loft.requests.map(({text}) => text)).toEqual(['a', 'c']);
});

test('a part that may have arrived stays in doubt when the platform fails before it is repeated', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft('breaks', {status: 503, body: 'down'});
	await using flight = await openFlight(loft, undefined);
	await flight.send();
	const working = flight.work();
	await flight.pass(1000);
	expect(await working).toMatchObject({
		state: 'delivering',
		error: expect.stringContaining('may have arrived'),
	});
	expect(clock.timersLeft).toBe(0);
});

test('texts that wait for one platform keep no text from another', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft({status: 503, body: 'down'});
	const pigeons = openPigeons({url: loft.url, clock});
	await using deliverer = pigeons.deliverer;
	await failureOf(deliverer.deliver(makeMessage('pigeon', {chat_id: 'rome'}, {runId: 1}), never));
	const waiting = Array.from({length: 40}, (_, index) =>
		deliverer.deliver(makeMessage('pigeon', {chat_id: `c${index}`}, {runId: index + 2}), never),
	);
	await new Promise(setImmediate);
	expect(
		await deliverer.deliver(makeMessage('dove', {chat_id: 'rome'}, {runId: 99}), never),
	).toEqual({summary: 'pigeon to rome'});
	await new Promise(setImmediate);
	clock.advance(5000);
	await Promise.allSettled(waiting);
});

test('a text whose sender waits is cut to what gets through in time, rather than torn', async () => {
	const clock = createFakeClock(startMs);
	await using loft = await openLoft();
	const pigeons = openPigeons({url: loft.url, clock, perMinute: 60});
	await using deliverer = pigeons.deliverer;
	const lines = Array.from({length: 9}, (_, index) => `line ${index}`).join('\n');
	const delivery = deliverer.deliver(direct({chat_id: 'rome'}, lines), never);
	for (let count = 0; count < 3; count++) {
		// oxlint-disable-next-line no-await-in-loop -- one pause after the other
		await pigeons.pass(1000);
	}

	expect(await delivery).toEqual({summary: 'pigeon to rome (4 parts)'});
	expect(loft.requests.map(({text}) => text)).toEqual(['line 0', 'line 1', 'line 2', '[cut]']);
});
