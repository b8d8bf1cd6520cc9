import {expect, test} from 'vitest';
import {createFeed} from '../../../source/tui/state/feed.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, received} from '../../helpers/make.ts';

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
