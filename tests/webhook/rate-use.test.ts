import {expect, test} from 'vitest';
import {createPaces} from '../../source/webhook/paces.ts';
import {createRateWindows} from '../../source/webhook/rate-window.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';

test('what is used of a rate is told without using any', () => {
	const clock = createFakeClock();
	const rates = createRateWindows(clock);
	expect(rates.used('a')).toEqual({used: 0, endsInMs: 0});
	rates.take('a', 2);
	clock.advance(10_000);
	rates.take('a', 2);
	expect(rates.take('a', 2).ok).toBe(false);
	expect(rates.used('a')).toEqual({used: 2, endsInMs: 50_000});
	clock.advance(50_000);
	expect(rates.used('a')).toEqual({used: 0, endsInMs: 0});
});

test('of a route that queues, the latest promised start is told, too', () => {
	const clock = createFakeClock();
	const paces = createPaces(clock);
	expect(paces.used('a', 1)).toEqual({used: 0, endsInMs: 0});
	paces.enter('a', 1);
	expect(paces.used('a', 1)).toEqual({used: 1, endsInMs: 60_000});
	paces.promise('a', 1).keep();
	paces.promise('a', 1).keep();
	clock.advance(5000);
	expect(paces.used('a', 1)).toEqual({used: 1, endsInMs: 55_000, promisedInMs: 115_000});
	clock.advance(200_000);
	expect(paces.used('a', 1)).toEqual({used: 0, endsInMs: 0});
});

test('a receiver tells how much of the rate of a route is used, and of an unknown one nothing', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute(), makeRoute({name: 'slow', overflow: 'queue', rateLimit: 1})],
	});
	await receiver.post({});
	expect(receiver.receiver.rateOf('hook')).toMatchObject({used: 1});
	expect(receiver.receiver.rateOf('slow')).toEqual({used: 0, endsInMs: 0});
	expect(receiver.receiver.rateOf('nobody')).toBeUndefined();
});
