import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {createMemory} from '../../../source/tui/lines/remember.ts';

test('makes anew what was made of something else, and nothing else', () => {
	const remember = createMemory<number>();
	let made = 0;
	const make = () => (made += 1);
	const rows = [1];
	expect(remember([rows, 'a', undefined], make)).toBe(1);
	expect(remember([rows, 'a', undefined], make)).toBe(1);
	expect(remember([[1], 'a', undefined], make)).toBe(2);
	expect(remember([rows, 'a', undefined], make)).toBe(3);
	expect(remember([rows, 'b', undefined], make)).toBe(4);
	expect(remember([rows, 'b'], make)).toBe(5);
});

test('lets go of what it was given', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const remember = createMemory<number>();
	const given = (() => {
		const rows = {rows: []};
		remember([rows], () => 1);
		return new WeakRef(rows);
	})();
	// What a weak reference was asked for stays until the turn is over.
	await new Promise(setImmediate);
	collect();
	expect(given.deref()).toBeUndefined();
	expect(remember([{rows: []}], () => 2)).toBe(2);
});
