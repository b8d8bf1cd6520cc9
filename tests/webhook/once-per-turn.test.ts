import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {oncePerTurn} from '../../source/webhook/receiver.ts';

test('asks once for all of one turn of the event loop, and again in the next', async () => {
	let asked = 0;
	const count = oncePerTurn(() => (asked += 1));

	expect([count(), count()]).toEqual([1, 1]);
	await nextTurn();
	expect([count(), count()]).toEqual([2, 2]);
});

test('an answer of undefined counts as one', () => {
	let asked = 0;
	const count = oncePerTurn(() => {
		asked += 1;
	});
	count();
	count();

	expect(asked).toBe(1);
});

test('a question that fails is asked again', () => {
	let asked = 0;
	const fail = oncePerTurn(() => {
		asked += 1;
		throw new Error('no');
	});

	expect(fail).toThrow('no');
	expect(fail).toThrow('no');
	expect(asked).toBe(2);
});
