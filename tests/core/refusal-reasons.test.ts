import {expect, test} from 'vitest';
import {refusalReasonsAfter} from '../../source/core/reduce-deliveries.ts';
import {reduce} from '../../source/core/reduce.ts';
import {initialState, limits, type DeliveryRow} from '../../source/core/state.ts';
import {makeDelivery, received} from '../helpers/make.ts';

const refused = (detail: string) =>
	makeDelivery({
		route: 'alerts',
		status: 401,
		outcome: 'signature',
		trace: [
			{step: 'route', verdict: 'pass', detail: 'alerts'},
			{step: 'signature', verdict: 'stop', detail},
		],
	});

/** What stands in the one row of deliveries that were refused for `details`. */
function rowOf(details: readonly string[]): DeliveryRow | undefined {
	const {deliveries} = reduce(
		initialState,
		details.map(detail => received(refused(detail))),
	);
	expect(deliveries).toHaveLength(1);
	return deliveries[0];
}

test('a row of several keeps why each of them was refused, the newest last', () => {
	const row = rowOf(['header missing', 'wrong encoding', 'header missing', 'other secret']);

	expect(row?.reasons).toEqual([
		{detail: 'wrong encoding', count: 1},
		{detail: 'header missing', count: 2},
		{detail: 'other secret', count: 1},
	]);
	expect(row?.otherReasons).toBeUndefined();
});

test('`skew -713 s` and `skew -714 s` are one reason, said as the newest says it', () => {
	const row = rowOf(['skew -713 s', 'skew +9 s', 'skew -714 s']);

	expect(row?.reasons).toEqual([
		{detail: 'skew +9 s', count: 1},
		{detail: 'skew -714 s', count: 2},
	]);
});

test.for<[one: string, other: string]>([
	['matches the secret of route "gh-1"', 'matches the secret of route "gh-2"'],
	['X-Hub-Signature-256: does not match', 'X-Hub-Signature-1: does not match'],
	['matches as sha1', 'matches as sha256'],
])('"%s" and "%s" are two reasons: the digits belong to names', ([one, other]) => {
	expect(rowOf([one, other, one])?.reasons).toHaveLength(2);
});

test('beyond eight reasons the one that was not heard for longest is counted with the others', () => {
	const row = rowOf('a a b c d e f g h i j c'.split(' '));

	expect(row?.reasons?.map(({detail}) => detail)).toEqual('d e f g h i j c'.split(' '));
	expect(row?.reasons).toHaveLength(limits.reasons);
	expect(row?.reasons?.at(-1)).toEqual({detail: 'c', count: 2});
	expect(row?.otherReasons).toBe(3);
});

test('a flood of reasons is counted to the last and kept to the eighth', () => {
	const details = Array.from({length: 1000}, (_, index) => `reason x${index}`);
	const {reasons = [], otherReasons = 0} = rowOf(details) ?? {};

	expect(reasons).toHaveLength(8);
	expect(reasons.reduce((sum, {count}) => sum + count, otherReasons)).toBe(1000);
});

test('a delivery that no step stopped has no reason', () => {
	expect(refusalReasonsAfter({}, makeDelivery())).toEqual({});
});

test('a row of one has no reasons: its own trace says why', () => {
	const {deliveries} = reduce(initialState, [received(refused('header missing'))]);

	expect(deliveries[0]).not.toHaveProperty('reasons');
});
