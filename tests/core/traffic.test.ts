import {expect, test} from 'vitest';
import {reduce} from '../../source/core/reduce.ts';
import {initialState} from '../../source/core/state.ts';
import {trafficParts} from '../../source/core/traffic.ts';
import {makeDelivery, makeRun, received, runChanged} from '../helpers/make.ts';

const now = Date.UTC(2026, 10, 20, 12);
const minute = now / 60_000;
const at = (minutesAgo: number, status = 202) =>
	received(makeDelivery({receivedAt: now - minutesAgo * 60_000, status}));

test('requests are counted by minute, with those that were refused', () => {
	const {traffic} = reduce(initialState, [at(3), at(3, 401), at(1)]);

	expect(traffic).toEqual([
		{minute: minute - 3, received: 2, refused: 1},
		{minute: minute - 1, received: 1, refused: 0},
	]);
});

test('what the journal knew at the start counts, what another gateway answered does not', () => {
	const deliveries = [
		makeDelivery({receivedAt: now}),
		makeDelivery({receivedAt: now, idSource: 'import'}),
	];
	const {traffic} = reduce(initialState, [
		{type: 'history-restored', at: now, deliveries, runs: [], groups: [], approvals: []},
	]);

	expect(traffic).toEqual([{minute, received: 1, refused: 0}]);
});

test('what the journal counted later is no second time what was told of meanwhile', () => {
	const before = reduce(initialState, [at(3), at(3), at(1)]);
	const counted = [
		{minute: minute - 30, received: 700, refused: 7},
		{minute: minute - 3, received: 9, refused: 1},
		{minute: minute - 1, received: 0, refused: 0},
	];
	const {traffic} = reduce(before, [{type: 'traffic-counted', at: now, minutes: counted}, at(0)]);

	expect(traffic).toEqual([
		counted[0],
		counted[1],
		{minute: minute - 1, received: 1, refused: 0},
		{minute, received: 1, refused: 0},
	]);
});

test('an hour is kept, however much comes and in whatever order', () => {
	const events = Array.from({length: 5000}, (_, index) => at((index * 7) % 200));
	const {traffic = []} = reduce(reduce(initialState, events.slice(0, 90)), events.slice(90));

	expect(traffic).toHaveLength(60);
	expect(traffic[0]?.minute).toBe(minute - 59);
	expect(traffic.at(-1)).toMatchObject({minute, received: 25});
});

test('what is no request leaves the counts the same object', () => {
	const before = reduce(initialState, [at(0)]);

	expect(reduce(before, [runChanged(makeRun())]).traffic).toBe(before.traffic);
	expect(reduce(initialState, [runChanged(makeRun())])).not.toHaveProperty('traffic');
});

test('the hour before now in parts: what is older, or of a clock that went back, is in none', () => {
	const {traffic} = reduce(initialState, [at(59), at(55), at(54), at(0), at(0)]);

	expect(trafficParts(traffic, {now, parts: 12})).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
	expect(trafficParts(traffic, {now: now + 300_000, parts: 12})).toEqual([
		1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0,
	]);
	expect(trafficParts(traffic, {now: now - 7_200_000, parts: 4})).toEqual([0, 0, 0, 0]);
	expect(trafficParts(undefined, {now, parts: 2})).toEqual([0, 0]);
});
