import {expect, test} from 'vitest';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {makeJob, makeRoute, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const queued = makeRoute({overflow: 'queue', rateLimit: 2});

const id = (value: number | string) => ({'X-Forge-Delivery': `d-${value}`});

async function postMany(receiver: TestReceiver, count: number) {
	for (let index = 0; index < count; index++) {
		// oxlint-disable-next-line no-await-in-loop -- their order is the point
		expect((await receiver.post({index}, id(index))).json['status']).toBe('accepted');
	}
}

/** Runs that may start now, in the order in which they are handed out. */
const leased = async ({store}: TestReceiver) =>
	(await store.runs.lease(100, 1e9)).map(({run}) => run.id);

test('429: route rate limit exceeded, message text `Rate limit exceeded`, with `Retry-After`', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({rateLimit: 1})]});
	await receiver.post({});
	receiver.clock.advance(10_500);
	const answer = await receiver.post({});
	expect([answer.status, answer.json]).toEqual([429, {error: 'Rate limit exceeded'}]);
	expect(answer.headers['retry-after']).toBe('50');
});

test('`overflow: queue`: above the rate limit the event is accepted, journaled and run later at the route’s pace', async () => {
	await using receiver = await startReceiver({routes: [queued]});
	const startedAt = receiver.clock.now();
	await postMany(receiver, 5);
	expect(
		receiver.deliveries.map(({trace}) => trace.find(({step}) => step === 'rate')?.detail),
	).toEqual([
		'1 of 2 in this minute',
		'2 of 2 in this minute',
		'more than 2 in this minute: its run waits',
		'more than 2 in this minute: its run waits',
		'more than 2 in this minute: its run waits',
	]);
	expect(
		receiver.deliveries.map(({trace}) => trace.find(({step}) => step === 'dispatch')?.detail),
	).toEqual([
		`run ${receiver.woken[0]} queued`,
		`run ${receiver.woken[1]} queued`,
		`queued until ${iso(startedAt + 60_000)}; run ${receiver.woken[2]} queued`,
		`queued until ${iso(startedAt + 90_000)}; run ${receiver.woken[3]} queued`,
		`queued until ${iso(startedAt + 120_000)}; run ${receiver.woken[4]} queued`,
	]);
	expect(receiver.deliveries.map(({status}) => status)).toEqual(Array(5).fill(202));

	const [first, second, third, fourth, fifth] = receiver.woken;
	expect(await leased(receiver)).toEqual([first, second]);
	receiver.clock.advance(59_999);
	expect(await leased(receiver)).toEqual([]);
	receiver.clock.advance(1);
	expect(await leased(receiver)).toEqual([third]);
	receiver.clock.advance(60_000);
	expect(await leased(receiver)).toEqual([fourth, fifth]);
});

test('what was answered is in the journal as it was told', async () => {
	await using receiver = await startReceiver({routes: [queued]});
	await postMany(receiver, 3);
	expect(await receiver.storedStep('rate')).toBe(receiver.step('rate'));
	expect(await receiver.storedStep('dispatch')).toMatch(/^queued until 20[-\d]+T[:.\d]+Z$/);
});

test('a restart of the process keeps when queued events start', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock(1_750_000_000_000);
	{
		await using receiver = await startReceiver({routes: [queued], home: home.path, clock});
		await postMany(receiver, 4);
	}

	await using store = await openSqliteStore({clock}, {file: home.file('state.db')});
	const runs = async () => (await store.runs.lease(100, 1e9)).length;
	expect(await runs()).toBe(2);
	clock.advance(60_000 - 6000 - 1);
	expect(await runs()).toBe(0);
	clock.advance(1);
	expect(await runs()).toBe(1);
	clock.advance(30_000);
	expect(await runs()).toBe(1);
});

test('after a restart events start behind those that were promised a start before', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock(1_750_000_000_000);
	const startedAt = clock.now();
	{
		await using receiver = await startReceiver({routes: [queued], home: home.path, clock});
		await postMany(receiver, 4);
	}

	await using receiver = await startReceiver({
		routes: [queued, makeRoute({name: 'other', overflow: 'queue'})],
		home: home.path,
		clock,
	});
	await receiver.post({}, id('after'));
	expect(receiver.step('dispatch')).toContain(`queued until ${iso(startedAt + 120_000)};`);
	await receiver.post({}, id('after'), '/webhooks/other');
	expect(receiver.step('rate')).toBe('1 of 30 in this minute');
});

test('a run that waits for its next try was promised no start: the pace begins anew', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock(1_750_000_000_000);
	{
		await using receiver = await startReceiver({routes: [queued], home: home.path, clock});
		await postMany(receiver, 1);
		const [lease] = await receiver.store.runs.lease(1, 1000);
		expect(lease).toBeDefined();
		const retry = {state: 'retry', at: clock.now() + 600_000, error: 'no answer'} as const;
		expect(lease && (await receiver.store.runs.settle(lease, retry))).toBe(true);
	}

	await using receiver = await startReceiver({routes: [queued], home: home.path, clock});
	expect(await receiver.store.runs.list({states: ['queued'], limit: 10})).toMatchObject([
		{route: 'hook', attempt: 1, nextAttemptAt: 1_750_000_600_000},
	]);
	await receiver.post({}, id('after'));
	expect(receiver.step('rate')).toBe('1 of 2 in this minute');
});

test('an event that the filters ignore takes nobody’s place', async () => {
	await using receiver = await startReceiver({
		routes: [{...queued, filters: [{field: 'ok', equals: true}]}],
	});
	const startedAt = receiver.clock.now();
	const post = async (ok: boolean) => receiver.post({ok});
	await post(true);
	await post(true);
	for (let index = 0; index < 10; index++) {
		// oxlint-disable-next-line no-await-in-loop -- their order is the point
		expect((await post(false)).json['status']).toBe('ignored');
	}

	await post(true);
	expect(receiver.step('dispatch')).toContain(iso(startedAt + 60_000));
});

test('duplicates and events that found the queue full take nobody’s place', async () => {
	await using receiver = await startReceiver({routes: [queued], maxQueued: 4});
	const startedAt = receiver.clock.now();
	await postMany(receiver, 3);
	expect((await receiver.post({}, id(2))).json['status']).toBe('duplicate');
	await receiver.post({}, id(3));
	expect(receiver.step('dispatch')).toContain(iso(startedAt + 90_000));

	const full = await Promise.all(
		Array.from({length: 5}, async (_, index) => receiver.post({}, id(`full-${index}`))),
	);
	for (const {status, json, headers} of full) {
		expect([status, json]).toEqual([503, {error: 'Too many runs are queued'}]);
		expect(headers['retry-after']).toBe('60');
	}

	await receiver.store.runs.cancel(receiver.woken[2] ?? 0);
	await receiver.post({}, id('full-0'));
	expect(receiver.step('dispatch')).toContain(iso(startedAt + 120_000));
});

test('"one route at most half": its backlog leaves others their places, and says when it has one again, an hour at most', async () => {
	const slow = {windowMs: 7_200_000, maxWaitMs: 7_200_000};
	await using receiver = await startReceiver({
		routes: [
			queued,
			makeRoute({name: 'grouped', coalesce: {key: 'k', ...slow}}),
			makeRoute({name: 'other'}),
		],
		maxQueued: 4,
	});
	let sent = 0;
	const next = () => id(`more-${(sent += 1)}`);
	const retryAfter = async (body: object, path?: string) =>
		(await receiver.post(body, next(), path)).headers['retry-after'];
	await postMany(receiver, 4);
	receiver.clock.advance(10_500);
	expect(await retryAfter({})).toBe('50');
	expect(receiver.step('dispatch')).toBe('2 events and runs wait for their time, at most 2 may');
	expect(await retryAfter({k: 1}, '/webhooks/grouped')).toBeUndefined();
	expect(await retryAfter({k: 2}, '/webhooks/grouped')).toBeUndefined();
	expect(await retryAfter({k: 3}, '/webhooks/grouped')).toBe('3600');
	for (const status of [202, 202, 503]) {
		// oxlint-disable-next-line no-await-in-loop -- their order is the point
		const answer = await receiver.post({}, next(), '/webhooks/other');
		expect(answer.status).toBe(status);
	}
});

test('on a coalescing route the event just joins its group', async () => {
	await using receiver = await startReceiver({
		routes: [{...queued, coalesce: {key: 'k', windowMs: 30_000, maxWaitMs: 300_000}}],
	});
	for (let index = 0; index < 4; index++) {
		// oxlint-disable-next-line no-await-in-loop -- their order is the point
		expect((await receiver.post({k: 1}, id(index))).json['status']).toBe('coalesced');
	}

	expect(receiver.step('rate')).toBe('more than 2 in this minute: waits in its group');
	expect(receiver.groups.at(-1)).toMatchObject({count: 4});
	expect((await receiver.post({}, id('no key'))).json['status']).toBe('accepted');
	expect(receiver.step('dispatch')).toMatch(/^key missing: \{k\}; queued until 20/);
	expect(await receiver.storedStep('dispatch')).toMatch(/^key missing: \{k\}; queued until 20/);
});

test('a job is fired at the route’s pace, too', async () => {
	await using receiver = await startReceiver({
		routes: [{...queued, cronJob: 'nightly', rateLimit: 1}],
		jobs: {nightly: makeJob()},
	});
	await postMany(receiver, 2);
	const [first = 0] = receiver.woken;
	expect(await leased(receiver)).toEqual([first]);
	const [lease] = await receiver.store.runs.lease(1, 1000);
	expect(lease).toBeUndefined();
	await receiver.store.runs.cancel(first);
	expect(await leased(receiver)).toEqual([]);
	receiver.clock.advance(60_000);
	expect(await leased(receiver)).toHaveLength(1);
});

test('a replay spends nothing and starts at once', async () => {
	await using receiver = await startReceiver({routes: [queued]});
	await postMany(receiver, 3);
	await receiver.receiver.replay(await receiver.stored());
	expect(receiver.step('rate')).toMatch(/^replay of .*: spends no quota$/);
	const [first, second, , replayed] = receiver.woken;
	expect(await leased(receiver)).toEqual([first, second, replayed]);
});

test('64 events at once above the limit: every one is accepted, no window holds more than `limit` starts', async () => {
	await using receiver = await startReceiver({routes: [{...queued, rateLimit: 7}]});
	const answers = await Promise.all(
		Array.from({length: 64}, async (_, index) => receiver.post({}, id(index))),
	);
	expect(answers.every(({json}) => json['status'] === 'accepted')).toBe(true);
	const starts: number[] = [(await leased(receiver)).length];
	for (let minute = 1; minute < 10; minute++) {
		receiver.clock.advance(59_999);
		// oxlint-disable-next-line no-await-in-loop -- minute by minute
		starts[minute - 1] = (starts[minute - 1] ?? 0) + (await leased(receiver)).length;
		receiver.clock.advance(1);
		// oxlint-disable-next-line no-await-in-loop -- minute by minute
		starts.push((await leased(receiver)).length);
	}

	expect(starts).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 7, 1]);
});

const iso = (ms: number) => new Date(ms).toISOString();
