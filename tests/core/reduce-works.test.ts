import {expect, test} from 'vitest';
import {reduce} from '../../source/core/reduce.ts';
import {limits, type GatewayState} from '../../source/core/state.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeDelivery, makeGroup, makeRun, received} from '../helpers/make.ts';

const worksOf = ({deliveries}: GatewayState) =>
	deliveries.map(({delivery}) => `${delivery.id} ${delivery.work ?? '-'}`);

test('an event keeps how its run ended when the run is forgotten, and only then: one under way says it itself', () => {
	const changed = (id: number, delivery: string, state: 'running' | 'done' | 'failed') =>
		({type: 'run-changed', at: 0, run: makeRun({id, delivery, state})}) as const;
	let state = reduce(createFakePort().getState(), [
		received(makeDelivery({id: 'a', runId: 1})),
		received(makeDelivery({id: 'b', runId: 2})),
		changed(1, 'a', 'running'),
		changed(2, 'b', 'running'),
	]);
	expect(worksOf(state)).toEqual(['a -', 'b -']);

	state = reduce(state, [changed(1, 'a', 'done'), changed(2, 'b', 'failed')]);
	const others = Array.from({length: limits.runs + 10}, (_, index) =>
		changed(10 + index, `other${index}`, 'done'),
	);
	state = reduce(state, others);
	expect(state.runs.some(({id}) => id === 1)).toBe(false);
	expect(worksOf(state)).toEqual(['a done', 'b failed']);

	// A person tried it again.
	state = reduce(state, [changed(2, 'b', 'done')]);
	expect(worksOf(state)).toEqual(['a done', 'b done']);
	const same = reduce(state, [changed(2, 'b', 'done')]);
	expect(same.deliveries[0]).toBe(state.deliveries[0]);
});

test('an event whose place a later one took keeps that', () => {
	const state = reduce(createFakePort().getState(), [
		received(makeDelivery({id: 'a', outcome: 'coalesced', group: 3})),
		received(makeDelivery({id: 'b', outcome: 'coalesced', group: 3})),
		{type: 'group-changed', at: 0, group: makeGroup({id: 3, latest: 'b'})},
		{
			type: 'group-changed',
			at: 0,
			group: makeGroup({id: 3, latest: 'b', state: 'dispatched', runId: 7}),
		},
		{type: 'run-changed', at: 0, run: makeRun({id: 7, delivery: 'b', state: 'done'})},
	]);
	expect(worksOf(state)).toEqual(['a superseded', 'b done']);
});
