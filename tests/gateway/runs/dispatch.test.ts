import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {type Clock, createBusy} from '../../../source/core/clock.ts';
import {createLogger} from '../../../source/core/log.ts';
import {createDispatcher} from '../../../source/gateway/runs/dispatch.ts';
import type {Lease, RouteLimit, Runs, Store} from '../../../source/store/port.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {advanceUntil} from '../../helpers/gateway.ts';
import {createWatch} from '../../helpers/watch.ts';
import {acceptRun, fireRun, sampleEntry, startMs} from '../../store/samples.ts';
import {createSqliteHome} from '../../store/sqlite-home.ts';

type Work = {
	readonly lease: Lease;
	readonly signal: AbortSignal;
	readonly isHeld: () => boolean;
	/** Settles the run as done and ends the work. */
	finish(): Promise<void>;
	/** Ends the work without settling: what a worker does whose lease is not its own any more. */
	leave(): void;
};

/** A dispatcher on the real store whose work is done by hand. `runs` replaces parts of the journal. */
async function openDispatch({
	concurrency = () => 2,
	runs = () => ({}),
	limits,
	isShared = false,
	clock: seen = clock => clock,
}: {
	readonly isShared?: boolean;
	/** The clock as the dispatcher sees it. */
	readonly clock?: (clock: Clock) => Clock;
	readonly concurrency?: () => number;
	readonly runs?: (store: Store) => Partial<Runs>;
	readonly limits?: () => readonly RouteLimit[];
} = {}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await createSqliteHome());
	const clock = createFakeClock(startMs);
	const store = stack.use(await home.open(clock));
	const busy = createBusy();
	const works: Work[] = [];
	const log: string[] = [];
	const watch = createWatch();
	const dispatcher = createDispatcher(
		{
			clock: seen(clock),
			runs: {...store.runs, ...runs(store)},
			events: store.events,
			busy,
			log: createLogger({
				clock,
				redact: text => text,
				write: ({level, message}) => {
					log.push(`${level} ${message}`);
				},
			}),
			async work(lease, signal, isHeld) {
				const {promise, resolve} = Promise.withResolvers<void>();
				works.push({
					lease,
					signal,
					isHeld,
					async finish() {
						await store.runs.settle(lease, {state: 'done'});
						resolve();
						await promise;
					},
					leave: resolve,
				});
				signal.addEventListener('abort', () => {
					resolve();
				});
				watch.look();
				await promise;
			},
		},
		{concurrency, isShared, ...(limits && {limits})},
	);
	stack.defer(async () => advanceUntil(dispatcher[Symbol.asyncDispose](), clock));

	/** Resolves when `count` works have begun. */
	const begun = async (count: number) => {
		await watch.until(() => works.length >= count);
		return works;
	};

	return {
		clock,
		store,
		home,
		busy,
		works,
		log,
		begun,
		dispatcher,
		async accept(count: number) {
			for (let index = 0; index < count; index++) {
				await acceptRun(store);
			}

			dispatcher.wake();
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const idsOf = (works: readonly Work[]) => works.map(({lease}) => lease.run.id);

/** Enough turns of the event loop for everything that needs no time to have happened. */
const settleDown = async () => {
	for (let count = 0; count < 20; count++) {
		await turn();
	}
};

test('a run of another route, and one of a job, have the next two places that become free', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(20);
	await dispatch.begun(2);
	const other = await acceptRun(dispatch.store, sampleEntry({route: 'other'}));
	const fired = await fireRun(dispatch.store);
	await dispatch.works[0]?.finish();
	await dispatch.begun(3);
	await dispatch.works[1]?.finish();
	await dispatch.begun(4);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2, other, fired]);
});

test('"runs are bounded": never more at once than the concurrency, oldest first', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(5);
	await dispatch.begun(2);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2]);
	expect(dispatch.dispatcher.active).toBe(2);

	await dispatch.works[1]?.finish();
	await dispatch.begun(3);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2, 3]);
	for (let index = 0; index < 5; index++) {
		await (await dispatch.begun(index + 1))[index]?.finish();
	}

	await dispatch.busy.idle();
	expect(dispatch.dispatcher.active).toBe(0);
	expect(await dispatch.store.runs.counts()).toEqual({queued: 0, active: 0});
});

test('a run that waits for a person gives its place to the next, and has it again when it goes on', async () => {
	await using dispatch = await openDispatch({concurrency: () => 1});
	await dispatch.accept(4);
	await dispatch.begun(1);
	// Two calls of one step wait side by side.
	const goOn = [dispatch.dispatcher.stepAside(1), dispatch.dispatcher.stepAside(1)];
	await dispatch.begun(2);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2]);

	goOn[0]?.();
	goOn[0]?.();
	await dispatch.works[1]?.finish();
	await dispatch.begun(3);
	goOn[1]?.();
	await dispatch.works[2]?.finish();
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2, 3]);

	await dispatch.works[0]?.finish();
	await dispatch.begun(4);
	expect(dispatch.dispatcher.active).toBe(1);
});

test('what waits for a person is bounded, and what is not under way gives no place', async () => {
	await using dispatch = await openDispatch({concurrency: () => 1});
	await dispatch.accept(40);
	dispatch.dispatcher.stepAside(99);
	for (let count = 1; count <= 33; count++) {
		dispatch.dispatcher.stepAside((await dispatch.begun(count))[count - 1]?.lease.run.id ?? 0);
	}

	await settleDown();
	expect(dispatch.works).toHaveLength(33);

	// One that was cancelled while it waited takes its wait along.
	await dispatch.works[0]?.finish();
	await dispatch.begun(34);
	await settleDown();
	expect(dispatch.works).toHaveLength(34);
});

test('a concurrency that was raised counts at the next wake, none at all starts nothing', async () => {
	let concurrency = 0;
	await using dispatch = await openDispatch({concurrency: () => concurrency});
	await dispatch.accept(3);
	await settleDown();
	expect(dispatch.works).toEqual([]);

	concurrency = 3;
	dispatch.dispatcher.wake();
	await dispatch.begun(3);
	expect(dispatch.dispatcher.active).toBe(3);
});

test('a run under way is aborted as cancelled, one that is not here is not', async () => {
	await using dispatch = await openDispatch({concurrency: () => 1});
	await dispatch.accept(2);
	const [work] = await dispatch.begun(1);
	expect(dispatch.dispatcher.abort(2)).toBe(false);
	expect(dispatch.dispatcher.abort(99)).toBe(false);
	expect(work?.signal.aborted).toBe(false);
	expect(dispatch.dispatcher.abort(1)).toBe(true);
	expect(work?.signal.reason).toBe('cancelled');
});

test('a queued run that was cancelled is never started', async () => {
	await using dispatch = await openDispatch({concurrency: () => 1});
	await dispatch.accept(3);
	const [first] = await dispatch.begun(1);
	expect(await dispatch.store.runs.cancel(2)).toBe(true);
	await first?.finish();
	await dispatch.begun(2);
	expect(idsOf(dispatch.works)).toEqual([1, 3]);
});

test('a lease is prolonged while the work goes on', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	for (let minute = 0; minute < 10; minute++) {
		dispatch.clock.advance(20_000);
		await settleDown();
	}

	expect(work?.signal.aborted).toBe(false);
	expect(dispatch.works).toHaveLength(1);
	await work?.finish();
	expect((await dispatch.store.runs.get(1))?.state).toBe('done');
});

test('a worker whose lease was lost is told so and stops', async () => {
	await using dispatch = await openDispatch({runs: () => ({beat: async () => false})});
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	dispatch.clock.advance(20_000);
	await settleDown();
	expect(work?.signal.reason).toBe('lease-lost');
	await dispatch.busy.idle();
	expect(dispatch.dispatcher.active).toBe(0);
});

test('a lease on a journal of several gateways ends after 30 s without an answer, and none before', async () => {
	await using dispatch = await openDispatch({
		isShared: true,
		runs: () => ({beat: async () => Promise.reject(new Error('away'))}),
	});
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	dispatch.clock.advance(29_999);
	expect(work?.signal.aborted).toBe(false);
	dispatch.clock.advance(1);
	expect(work?.signal.reason).toBe('lease-lost');
	work?.leave();
	await settleDown();
});

test('a beat that was not answered is tried again within a second or so: an outage that is shorter than the lease costs none', async () => {
	let isAway = true;
	const beats: number[] = [];
	await using dispatch = await openDispatch({
		isShared: true,
		runs: () => ({
			async beat() {
				beats.push(dispatch.clock.monotonic() - startMs);
				return isAway ? Promise.reject(new Error('away')) : true;
			},
		}),
	});
	const pass = async (ms: number) => {
		for (let passed = 0; passed < ms; passed += 1000) {
			dispatch.clock.advance(1000);
			// oxlint-disable-next-line no-await-in-loop -- what is planned next depends on it
			await settleDown();
		}
	};
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	await pass(25_000);
	isAway = false;
	await pass(3000);
	const answered = beats.length;
	await pass(10_000);
	expect(work?.signal.aborted).toBe(false);
	expect(beats[0]).toBeLessThanOrEqual(11_000);
	// Then it is quiet again.
	expect(beats.length - answered).toBeLessThanOrEqual(1);
	work?.leave();
	await settleDown();
});

test('a process that was stopped knows by the time that it holds no more, before any timer has run', async () => {
	let stoppedMs = 0;
	await using dispatch = await openDispatch({
		isShared: true,
		clock: clock => ({...clock, monotonic: () => clock.monotonic() + stoppedMs}),
	});
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	expect(work?.isHeld()).toBe(true);
	stoppedMs = 30_000;
	expect(work?.signal.aborted).toBe(false);
	expect(work?.isHeld()).toBe(false);
	expect(work?.signal.reason).toBe('lease-lost');
	await settleDown();
});

test('a lease counts from when it was asked for: an answer that was long on its way gives none', async () => {
	let stoppedMs = 0;
	await using dispatch = await openDispatch({
		isShared: true,
		clock: clock => ({...clock, monotonic: () => clock.monotonic() + stoppedMs}),
		runs: ({runs}) => ({
			async lease(...asked) {
				const leases = await runs.lease(...asked);
				stoppedMs = 30_000;
				return leases;
			},
		}),
	});
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	expect(work?.isHeld()).toBe(false);
	await settleDown();
});

test('a journal that cannot be asked for a moment costs no lease', async () => {
	await using dispatch = await openDispatch({
		runs: () => ({beat: async () => Promise.reject(new Error('disk full'))}),
	});
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	dispatch.clock.advance(20_000);
	await settleDown();
	expect(work?.signal.aborted).toBe(false);
});

test('a run that waits for its next try is started when it is due, not before', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	if (!work) {
		throw new Error('no work');
	}

	const {lease} = work;
	const at = startMs + 120_000;
	await dispatch.store.runs.settle(lease, {state: 'retry', at, error: 'unreachable'});
	work.leave();
	await dispatch.busy.idle();
	dispatch.clock.advance(119_999);
	await settleDown();
	expect(dispatch.works).toHaveLength(1);
	dispatch.clock.advance(1);
	const [, again] = await dispatch.begun(2);
	expect(again?.lease.run).toMatchObject({id: 1, attempt: 2});
});

test('a journal that gives no leases is asked again after a second, and the log says why', async () => {
	let isBroken = true;
	await using dispatch = await openDispatch({
		runs: store => ({
			lease: async (count, leaseMs) => {
				if (isBroken) {
					throw new Error('database disk image is malformed');
				}

				return store.runs.lease(count, leaseMs);
			},
		}),
	});
	await dispatch.accept(1);
	await dispatch.busy.idle();
	expect(dispatch.works).toEqual([]);
	expect(dispatch.log).toEqual(['error Cannot take runs from the journal, trying again']);
	isBroken = false;
	dispatch.clock.advance(999);
	await settleDown();
	expect(dispatch.works).toEqual([]);
	dispatch.clock.advance(1);
	await dispatch.begun(1);
});

test('a run that is cancelled in the journal, by whichever gateway, is aborted at once', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(2);
	const [first, second] = await dispatch.begun(2);
	expect(await dispatch.store.runs.cancel(first?.lease.run.id ?? 0)).toBe(true);
	expect(first?.signal.reason).toBe('cancelled');
	expect(second?.signal.aborted).toBe(false);
	await second?.finish();
});

test('a run that is retried in the journal, by whichever gateway, starts without being asked for', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(1);
	const [first] = await dispatch.begun(1);
	await dispatch.store.runs.cancel(first?.lease.run.id ?? 0);
	await settleDown();
	expect(await dispatch.store.runs.retry(first?.lease.run.id ?? 0)).toBe(true);
	expect(idsOf(await dispatch.begun(2))).toEqual([1, 1]);
});

test('the drain lets runs finish for three seconds, takes the rest away and starts none', async () => {
	await using dispatch = await openDispatch();
	await dispatch.accept(3);
	const [first, second] = await dispatch.begun(2);
	const ended = dispatch.dispatcher[Symbol.asyncDispose]();
	await first?.finish();
	await settleDown();
	expect(second?.signal.aborted).toBe(false);
	dispatch.clock.advance(3000);
	await ended;
	expect(second?.signal.reason).toBe('stopping');
	expect(idsOf(dispatch.works)).toEqual([1, 2]);

	await dispatch.store[Symbol.asyncDispose]();
	await using next = await dispatch.home.open(createFakeClock(startMs));
	expect(next.taken.requeued).toEqual([2]);
	expect(idsOf((await next.runs.lease(9, 1000)).map(lease => ({lease}) as Work))).toEqual([2, 3]);
});

test('the drain waits for leases that the journal is just giving: nothing works on a closed store', async () => {
	const gate = Promise.withResolvers<void>();
	await using dispatch = await openDispatch({
		runs: store => ({
			lease: async (count, leaseMs) => {
				await gate.promise;
				return store.runs.lease(count, leaseMs);
			},
		}),
	});
	await dispatch.accept(1);
	let hasEnded = false;
	const ended = (async () => {
		await dispatch.dispatcher[Symbol.asyncDispose]();
		hasEnded = true;
	})();
	await settleDown();
	expect(hasEnded).toBe(false);
	gate.resolve();
	const [work] = await dispatch.begun(1);
	expect(hasEnded).toBe(false);
	await work?.finish();
	await ended;
	expect((await dispatch.store.runs.get(1))?.state).toBe('done');
});

test('what is queued while everything closes begins in the places that are free, once', async () => {
	await using dispatch = await openDispatch();
	await acceptRun(dispatch.store);
	await acceptRun(dispatch.store);
	await acceptRun(dispatch.store);
	const ended = dispatch.dispatcher[Symbol.asyncDispose]();
	const [first, second] = await dispatch.begun(2);
	await first?.finish();
	await second?.finish();
	await ended;
	expect(idsOf(dispatch.works)).toEqual([1, 2]);
	expect(await dispatch.store.runs.counts()).toEqual({queued: 1, active: 0});
});

test('a queue that a run left while everything closes is looked at once more', async () => {
	const gate = Promise.withResolvers<void>();
	let looks = 0;
	await using dispatch = await openDispatch({
		runs: store => ({
			lease: async (count, leaseMs) => {
				looks++;
				await gate.promise;
				return store.runs.lease(count, leaseMs);
			},
		}),
	});
	dispatch.dispatcher.wake();
	const ended = dispatch.dispatcher[Symbol.asyncDispose]();
	await acceptRun(dispatch.store);
	gate.resolve();
	const [work] = await dispatch.begun(1);
	await work?.finish();
	await ended;
	expect(looks).toBe(2);
});

test('no more runs of a route at once than its limit, asked for each look', async () => {
	let limit: number | undefined = 1;
	await using dispatch = await openDispatch({
		limits: () => (limit === undefined ? [] : [{profile: 'default', route: 'github', most: limit}]),
	});
	await dispatch.accept(3);
	const [first] = await dispatch.begun(1);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1]);
	await first?.finish();
	const [, second] = await dispatch.begun(2);
	await settleDown();
	expect(idsOf(dispatch.works)).toEqual([1, 2]);

	limit = undefined;
	dispatch.dispatcher.wake();
	await dispatch.begun(3);
	expect(idsOf(dispatch.works)).toEqual([1, 2, 3]);
	await second?.finish();
});

test('what is hosted takes no place of the queue, is kept alive, aborted and waited for', async () => {
	await using dispatch = await openDispatch({concurrency: () => 1});
	const {dispatcher, store, clock} = dispatch;
	const plan = {prompt: '?', target: {kind: 'log', extra: {}}, skills: []};
	const lease = await store.runs.beginChat(
		{profile: 'default', origin: {kind: 'key', name: 'app'}, plan},
		60_000,
	);
	let reason: unknown;
	const hosted = dispatcher.host(lease, async (_, signal) => {
		const {promise, resolve} = Promise.withResolvers<void>();
		signal.addEventListener('abort', () => {
			({reason} = signal);
			resolve();
		});
		await promise;
	});
	expect(dispatcher.active).toBe(1);

	await dispatch.accept(1);
	const [work] = await dispatch.begun(1);
	expect(work?.lease.run.id).not.toBe(lease.run.id);
	await work?.finish();
	await settleDown();
	for (let minute = 0; minute < 3; minute++) {
		clock.advance(30_000);
		await settleDown();
	}

	expect(reason).toBeUndefined();
	expect((await store.runs.view(lease.run.id))?.state).toBe('running');
	expect(dispatcher.abort(lease.run.id)).toBe(true);
	await hosted;
	expect(reason).toBe('cancelled');
	expect(dispatcher.active).toBe(0);
});
