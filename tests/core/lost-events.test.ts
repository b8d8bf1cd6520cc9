import {expect, test} from 'vitest';
import type {RouteView} from '../../source/core/config-view.ts';
import type {Delivery} from '../../source/core/delivery.ts';
import {lossyRoutes} from '../../source/core/traffic.ts';
import {makeDelivery} from '../helpers/make.ts';

const now = 1_750_000_000_000;
const hour = 3_600_000;

const view = (name: string, overrides: Partial<RouteView> = {}): RouteView => ({
	name,
	profile: 'default',
	source: 'dynamic',
	description: '',
	events: [],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
	...overrides,
});

const row = (route: string, ageMs: number, overrides: Partial<Delivery> = {}) => {
	const delivery = makeDelivery({
		route,
		outcome: 'rate',
		receivedAt: now - ageMs,
		...overrides,
	});
	return {key: delivery.id, delivery, count: 1};
};

test('a route loses events for an hour after it turned the last one away', () => {
	const routes = [view('a'), view('b'), view('c')];
	const found = (...deliveries: ReadonlyArray<ReturnType<typeof row>>) =>
		lossyRoutes({deliveries, routes}, now).map(({route, lastAt}) => [route, now - lastAt]);
	expect(found(row('a', hour - 1), row('b', hour), row('c', 5, {outcome: 'accepted'}))).toEqual([
		['a', hour - 1],
	]);
	expect(found(row('a', 20), row('b', 10), row('a', 30))).toEqual([
		['b', 10],
		['a', 20],
	]);
	expect(found(row('gone', 1), row('a', 1, {profile: 'work'}))).toEqual([]);
});

test('one that queues now loses nothing any more, and a message cannot wait', () => {
	const deliveries = [row('a', 1), row('b', 1)];
	const routes = [view('a', {overflow: 'queue'}), view('b', {mode: 'deliver_only'})];
	expect(lossyRoutes({deliveries, routes}, now)).toEqual([
		{
			route: 'b',
			profile: 'default',
			count: 1,
			lastAt: now - 1,
			why: 'above its rate_limit',
			status: 429,
			remedy: 'a higher rate_limit lets them in',
		},
	]);
});

test('an event that is turned away as too many runs wait is lost too, also where the rate queues', () => {
	const full = {
		outcome: 'queue',
		status: 503,
		trace: [{step: 'dispatch', verdict: 'stop', detail: '262 runs of this route wait'}],
	} as const;
	// It is at work: nothing is lost.
	const twice = {...full, trace: [{...full.trace[0], step: 'duplicate'}]} as const;
	const deliveries = [row('a', 7, full), row('a', 1, full), row('b', 1, twice)];
	const routes = [view('a', {overflow: 'queue'}), view('b')];
	expect(lossyRoutes({deliveries, routes}, now)).toEqual([
		{
			route: 'a',
			profile: 'default',
			count: 2,
			lastAt: now - 1,
			why: 'as too many runs wait',
			status: 503,
			remedy: 'a higher runs.concurrency works them off',
		},
	]);
});
