import {expect, test} from 'vitest';
import {createSemaphore} from '../../source/core/mutex.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const setUp = () => {
	const clock = createFakeClock();
	const stopping = new AbortController();
	const places = createSemaphore(clock, {count: 1, maxWaiting: 2});
	return {clock, stopping, take: async () => places.take(1000, stopping.signal)};
};

test('those who wait are served in order, each place once', async () => {
	const {take} = setUp();
	const first = await take();
	const order: string[] = [];
	const [second, third] = ['second', 'third'].map(async name => {
		const release = await take();
		order.push(name);
		return release;
	});
	expect(await take()).toBeUndefined();

	first?.();
	first?.();
	const release = await second;
	expect(order).toEqual(['second']);
	release?.();
	await third;
	expect(order).toEqual(['second', 'third']);
});

test('a wait ends with its time, and its place in line with it', async () => {
	const {clock, take} = setUp();
	const release = await take();
	const late = take();
	clock.advance(1000);
	expect(await late).toBeUndefined();

	const next = take();
	release?.();
	expect(await next).toBeTypeOf('function');
});

test('a stop ends every wait, and nobody waits any more', async () => {
	const {stopping, take} = setUp();
	const release = await take();
	const waits = [take(), take()];
	stopping.abort();
	expect(await Promise.all(waits)).toEqual([undefined, undefined]);
	release?.();
	expect(await take()).toBeUndefined();
});
