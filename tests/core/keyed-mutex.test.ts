import {expect, test} from 'vitest';
import {createKeyedMutex, createMutex} from '../../source/core/mutex.ts';

test('tasks follow one another in the order of their calls, whether those before succeed or not', async () => {
	const oneByOne = createMutex();
	const steps: string[] = [];
	const first = Promise.withResolvers<never>();
	const failing = oneByOne(async () => {
		steps.push('first');
		return first.promise;
	});
	const second = oneByOne(async () => {
		steps.push('second');
		return 2;
	});
	await Promise.resolve();
	expect(steps).toEqual(['first']);
	first.reject(new Error('no'));
	await expect(failing).rejects.toThrow('no');
	expect(await second).toBe(2);
	expect(steps).toEqual(['first', 'second']);
});

test('keys do not wait for each other, and of one key no more than so many wait', async () => {
	const mutex = createKeyedMutex(1);
	const {promise, resolve} = Promise.withResolvers<string>();
	const running = mutex.runExclusive('a', async () => promise);
	const waiting = mutex.runExclusive('a', async () => 'second');
	expect(await mutex.runExclusive('b', async () => 'other')).toBe('other');
	expect(await mutex.runExclusive('a', async () => 'third')).toBeUndefined();
	resolve('first');
	expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
	expect(await mutex.runExclusive('a', async () => 'again')).toBe('again');
});
