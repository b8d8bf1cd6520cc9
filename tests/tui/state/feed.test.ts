import {expect, test} from 'vitest';
import type {HealthSample} from '../../../source/core/events.ts';
import {createFeed, feedIntervals, staleFor} from '../../../source/tui/state/feed.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery, makeGroup, makeRun, received, runChanged} from '../../helpers/make.ts';

test('the first event after a silence is told at once, a burst once per interval, the last never lost', () => {
	const port = createFakePort();
	const clock = createFakeClock();
	using feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	for (let index = 0; index < 50; index += 1) {
		port.emit(received(makeDelivery()));
	}

	expect(told).toBe(1);
	expect(feed.get().state.deliveries.length).toBe(1);
	clock.advance(100);
	expect(told).toBe(2);
	expect(feed.get().state.deliveries.length).toBe(50);
	clock.advance(800);
	expect(told).toBe(2);
});

test('what a person is asked is told at once, however slow the pace is, and the rest keeps it', () => {
	const clock = createFakeClock();
	const port = createFakePort();
	using feed = createFeed({port, clock}, () => ({
		intervalMs: feedIntervals.pausedMs,
		tickMs: feedIntervals.tickMs,
	}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	port.emit(received(makeDelivery()));
	port.emit(received(makeDelivery()));
	expect(told).toBe(1);
	port.emit({type: 'approval-requested', at: 0, approval: makeToolApproval()});
	expect(told).toBe(2);
	expect(feed.get().state.approvals).toHaveLength(1);

	port.emit(received(makeDelivery()));
	clock.advance(feedIntervals.pausedMs - 1);
	expect(told).toBe(2);
	clock.advance(1);
	expect(told).toBe(3);
});

test('words of a model that nobody looks at are no frame, and do not hold up the ticks', () => {
	const clock = createFakeClock();
	const port = createFakePort();
	let showsWords = false;
	using feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000, showsWords}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	const say = (from: number) => {
		port.emit({type: 'run-said', at: 0, runId: 1, from, text: 'x'});
	};
	for (let from = 0; from < 9; from += 1) {
		say(from);
		clock.advance(100);
	}

	expect(told).toBe(0);
	clock.advance(100);
	expect(told).toBe(1);
	showsWords = true;
	clock.advance(100);
	say(9);
	expect(told).toBe(2);
	expect(feed.get().state.said?.[1]?.text).toBe('x'.repeat(10));
});

test('while it is held nothing is told, not even what a person is asked, and all of it afterwards', () => {
	const clock = createFakeClock();
	const port = createFakePort();
	let isHeld = true;
	using feed = createFeed({port, clock}, () => ({
		intervalMs: feedIntervals.stalledMs,
		tickMs: feedIntervals.stalledMs,
		isHeld,
	}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	port.emit({type: 'approval-requested', at: 0, approval: makeToolApproval()});
	port.emit(received(makeDelivery()));
	clock.advance(10 * feedIntervals.stalledMs);
	expect(told).toBe(0);

	isHeld = false;
	clock.advance(feedIntervals.stalledMs);
	expect(told).toBe(1);
	expect(feed.get().state.approvals).toHaveLength(1);
	expect(feed.get().state.deliveries.length).toBe(1);
});

test('a burst asks neither the gateway for its state nor the screen for its pace at each event', () => {
	const port = createFakePort();
	const clock = createFakeClock();
	let asked = 0;
	const counted = {
		...port,
		getState() {
			asked += 1;
			return port.getState();
		},
	};
	const paced: number[] = [];
	using feed = createFeed({port: counted, clock}, ({deliveries}) => {
		paced.push(deliveries.length);
		return {intervalMs: 100, tickMs: 1000};
	});
	expect(asked).toBe(1);
	for (let index = 0; index < 50; index += 1) {
		port.emit(received(makeDelivery()));
	}

	// The first of them was told at once.
	expect(asked).toBe(2);
	expect(paced.length).toBeLessThan(10);
	expect(paced.at(-1)).toBe(1);
	clock.advance(100);
	expect(asked).toBe(3);
	expect(feed.get().state.deliveries.length).toBe(50);
});

test('time passes on the screen, once a second', () => {
	const clock = createFakeClock();
	using feed = createFeed({port: createFakePort(), clock}, () => ({intervalMs: 100, tickMs: 1000}));
	clock.advance(1000);

	expect(feed.get().now).toBe(1000);
	expect(feed.get().heardAt).toBe(0);
});

test('a gateway that reports each second makes one frame a second, and time goes on when it falls silent', () => {
	const port = createFakePort();
	const clock = createFakeClock();
	using feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	for (let second = 0; second < 10; second += 1) {
		// A little late, as timers are.
		clock.advance(1004);
		port.emit({type: 'health-sampled', at: clock.now(), health: {} as never});
	}

	// The first second was over before the first report.
	expect(told).toBe(11);
	clock.advance(1200);
	clock.advance(1000);
	expect(told).toBe(13);
	expect(feed.get().now).toBe(10_040 + 2200);
});

const sample = {loopDelayP99Ms: 1, rssBytes: 90e6, requestsPerSecond: 0};

/** A feed whose gateway samples itself once a second, and what it told. */
function createIdleFeed() {
	const port = createFakePort();
	const clock = createFakeClock();
	const feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	let told = 0;
	feed.subscribe(() => {
		told += 1;
	});
	return {
		port,
		clock,
		feed,
		/** How often it told something in so many seconds. */
		pass(seconds: number, health: Partial<HealthSample> = {}): number {
			const before = told;
			for (let second = 0; second < seconds; second += 1) {
				clock.advance(1000);
				port.emit({type: 'health-sampled', at: clock.now(), health: {...sample, ...health}});
			}

			return told - before;
		},
		[Symbol.dispose]() {
			feed[Symbol.dispose]();
		},
	};
}

test('a quarter of a minute in which nothing happened ends the seconds: a frame a minute, and at once when something comes', () => {
	using idle = createIdleFeed();
	expect(idle.pass(14)).toBeGreaterThanOrEqual(14);
	idle.pass(2);
	expect(idle.feed.get().isIdle).toBe(true);
	// The clock at the top counts minutes; a megabyte more is worth nothing.
	expect(idle.pass(300)).toBe(5);
	expect(idle.pass(30, {rssBytes: 95e6, loopDelayP99Ms: 9})).toBeLessThanOrEqual(1);
	expect(idle.pass(1, {rssBytes: 101e6})).toBe(1);
	expect(idle.pass(1, {rssBytes: 101e6, requestsPerSecond: 1})).toBe(1);

	idle.port.emit(received(makeDelivery()));
	idle.clock.advance(100);
	expect(idle.feed.get()).toMatchObject({isIdle: false, now: idle.clock.now()});
	expect(idle.pass(10)).toBeGreaterThanOrEqual(10);
});

test('what counts seconds keeps them: a run, an approval, a group that waits; and silence shows', () => {
	for (const event of [
		runChanged(makeRun({state: 'running'})),
		{type: 'approval-requested', at: 0, approval: makeToolApproval()} as const,
		{type: 'group-changed', at: 0, group: makeGroup({state: 'pending'})} as const,
	]) {
		using idle = createIdleFeed();
		idle.port.emit(event);
		idle.pass(100);
		expect(idle.feed.get().isIdle).toBe(false);
		expect(idle.pass(10)).toBeGreaterThanOrEqual(10);
	}

	using silent = createIdleFeed();
	silent.pass(100);
	silent.clock.advance(5000);
	silent.clock.advance(2000);
	expect(staleFor(silent.feed.get())).toBeGreaterThan(5000);
	// Heard again, it is stale no more.
	silent.pass(1);
	expect(staleFor(silent.feed.get())).toBeUndefined();
});

test('a pane that counts seconds ends the stillness at once', () => {
	const port = createFakePort();
	const clock = createFakeClock();
	let countsSeconds = false;
	using feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000, countsSeconds}));
	for (let second = 0; second < 100; second += 1) {
		clock.advance(1000);
		port.emit({type: 'health-sampled', at: clock.now(), health: sample});
	}

	const {now, isIdle} = feed.get();
	expect(isIdle).toBe(true);
	clock.advance(500);
	countsSeconds = true;
	feed.repace();
	expect(feed.get()).toMatchObject({isIdle: false, now: clock.now()});
	expect(feed.get().now).toBeGreaterThan(now);
});

test('a disposed feed leaves no timer and no listener', () => {
	const port = createFakePort();
	const clock = createFakeClock();
	const feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	port.emit(received(makeDelivery()));
	feed[Symbol.dispose]();
	const last = feed.get();
	port.emit(received(makeDelivery()));
	clock.advance(10_000);

	expect(feed.get()).toBe(last);
});
