import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {createMemory, derive} from '../../source/core/derive.ts';

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

test('derives once from each object that is held, and anew where something else of it changed', () => {
	let made = 0;
	const derived = derive((_of: object, _width: number) => (made += 1));
	const [one, other] = [{}, {}];
	expect([derived(one, 1), derived(other, 1), derived(one, 1)]).toEqual([1, 2, 1]);
	expect([derived(one, 2), derived(other, 1), derived(one, 1)]).toEqual([3, 2, 4]);
});
