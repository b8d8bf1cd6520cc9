import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../source/core/events.ts';
import {reduce} from '../../source/core/reduce.ts';
import {initialState, limits, runsToDecide} from '../../source/core/state.ts';
import {makeDelivery, makeRun, received, runChanged} from '../helpers/make.ts';

const rejection = (route: string) => makeDelivery({route, status: 429, outcome: 'rate'});

test('a slice that no event touched stays the same object', () => {
	const before = reduce(initialState, [runChanged(makeRun())]);

	const after = reduce(before, [received(makeDelivery())]);

	expect(after.runs).toBe(before.runs);
	expect(after.logs).toBe(before.logs);
	expect(after.deliveries).not.toBe(before.deliveries);
});

test('rejections of one kind and route become one row from the third in a row on', () => {
	const flood = Array.from({length: 48}, () => received(rejection('alerts')));

	const two = reduce(initialState, flood.slice(0, 2));
	const all = reduce(initialState, flood);

	expect(two.deliveries.map(({count}) => count)).toEqual([1, 1]);
	expect(all.deliveries.map(({count}) => count)).toEqual([48]);
});

test('the totals leave out what strangers are answered: 401 and 404', () => {
	const statuses = [202, 401, 404, 400, 429, 200, 503];
	const {totals} = reduce(
		initialState,
		statuses.map(status => received(makeDelivery({status}))),
	);

	expect(totals).toMatchObject({received: 5, ok: 2});
});

test('the key of a grouped row stays while it grows', () => {
	const flood = Array.from({length: 5}, () => received(rejection('alerts')));

	const three = reduce(initialState, flood.slice(0, 3));
	const five = reduce(three, flood.slice(3));

	expect(five.deliveries[0]?.key).toBe(three.deliveries[0]?.key);
	expect(five.deliveries[0]?.delivery).not.toBe(three.deliveries[0]?.delivery);
});

test('accepted deliveries and rejections of other routes are not grouped', () => {
	const events = [
		...Array.from({length: 4}, () => received(makeDelivery())),
		received(rejection('a')),
		received(rejection('b')),
		received(rejection('a')),
	];

	expect(reduce(initialState, events).deliveries).toHaveLength(7);
});

test('a flood on one route cannot push the deliveries of others out', () => {
	const quiet = Array.from({length: 100}, () => received(makeDelivery({route: 'quiet'})));
	const flood = Array.from({length: limits.deliveries * 2}, () =>
		received(makeDelivery({route: 'flood'})),
	);

	const {deliveries, totals} = reduce(reduce(initialState, quiet), flood);

	expect(deliveries).toHaveLength(limits.deliveries);
	expect(deliveries.filter(({delivery}) => delivery.route === 'quiet')).toHaveLength(100);
	expect(totals.received).toBe(limits.deliveries * 2 + 100);
});

test('rejections with other traffic between them are one row, as long as they are near', () => {
	const events = Array.from({length: 40}, (_, index) =>
		received(index % 2 === 0 ? makeDelivery({route: 'good'}) : rejection('alerts')),
	);

	const {deliveries} = reduce(initialState, events);
	const rows = deliveries.filter(({delivery}) => delivery.route === 'alerts');

	expect(deliveries.filter(({delivery}) => delivery.route === 'good')).toHaveLength(20);
	expect(rows.map(({count}) => count)).toEqual([20]);
	expect(rows[0]?.firstAt).toBeLessThan(rows[0]?.delivery.receivedAt ?? 0);
});

test('a row that grows stays among the newest twenty', () => {
	const events = Array.from({length: 400}, (_, index) =>
		received(index % 2 === 0 ? makeDelivery({route: 'good'}) : rejection('alerts')),
	);

	const {deliveries} = reduce(initialState, events);
	const rows = deliveries.filter(({delivery}) => delivery.route === 'alerts');

	expect(rows.reduce((sum, {count}) => sum + count, 0)).toBe(200);
	expect(rows.length).toBeLessThanOrEqual(12);
	expect(deliveries.slice(-20).some(({delivery}) => delivery.route === 'alerts')).toBe(true);
});

test('a rejection does not join a row that others followed and that is older than a minute', () => {
	const refused = {route: 'alerts', status: 401, outcome: 'signature'} as const;
	const at = (receivedAt: number) => makeDelivery({...refused, receivedAt});
	const flood = Array.from({length: 3}, () => received(at(0)));

	const next = received(at(60_001));
	const follows = reduce(initialState, [...flood, next]);
	const comesLater = reduce(initialState, [...flood, received(makeDelivery()), next]);

	expect(follows.deliveries.map(({count}) => count)).toEqual([4]);
	expect(comesLater.deliveries.map(({count}) => count)).toEqual([3, 1, 1]);
});

test('routes that do not exist are one row whatever they are called; it remembers five names', () => {
	const events = Array.from({length: 1000}, (_, index) =>
		received(makeDelivery({route: `invented-${index}`, status: 404, outcome: 'route'})),
	);

	const {deliveries} = reduce(initialState, events);

	expect(deliveries.map(({count}) => count)).toEqual([1000]);
	expect(deliveries[0]?.routes).toEqual(
		[995, 996, 997, 998, 999].map(index => `invented-${index}`),
	);
});

test.for([
	['401 of one route', () => ({route: 'good', status: 401, outcome: 'signature' as const})],
	[
		'401 of forty routes in turn',
		(index: number) => ({
			route: `r${index % 40}`,
			status: 401,
			outcome: 'signature' as const,
		}),
	],
	[
		'404 of invented routes',
		(index: number) => ({
			route: `invented-${index}`,
			status: 404,
			outcome: 'route' as const,
		}),
	],
	['405', (index: number) => ({route: `r${index}`, status: 405, outcome: 'method' as const})],
	['413', (index: number) => ({route: `r${index % 40}`, status: 413, outcome: 'size' as const})],
	[
		'429 of forty routes in turn',
		(index: number) => ({route: `r${index % 40}`, status: 429, outcome: 'rate' as const}),
	],
] as const)('a flood of %s cannot push good rows out', ([, overrides]) => {
	const events = Array.from({length: limits.deliveries / 5}, (_, batch) => {
		const flood = Array.from({length: 20}, (__, index) =>
			received(makeDelivery(overrides(batch * 20 + index))),
		);
		const good = Array.from({length: 4}, () => received(makeDelivery({route: 'good'})));
		return [...flood.slice(0, 10), ...good, ...flood.slice(10)];
	}).flat();
	const state = reduce(initialState, events);

	const good = state.deliveries.filter(({delivery}) => delivery.outcome === 'accepted');
	expect(good.length).toBeGreaterThanOrEqual(limits.deliveries * 0.6);
	expect(state.deliveries.length).toBeLessThanOrEqual(limits.deliveries);
});

test('one batch and one event at a time lead to the same state', () => {
	const events: GatewayEvent[] = [
		received(makeDelivery({runId: 3})),
		runChanged(makeRun({id: 3, state: 'running'})),
		received(rejection('a')),
		received(rejection('a')),
		received(rejection('a')),
		{
			type: 'run-progressed',
			at: 5,
			runId: 3,
			entry: {at: 5, kind: 'text', text: 'thinking'},
		},
		runChanged(makeRun({id: 3, state: 'done'})),
		{type: 'webhook-refused', at: 6, code: 'port_in_use', reason: 'busy'},
	];

	const oneByOne = events.reduce((state, event) => reduce(state, [event]), initialState);

	expect(oneByOne).toEqual(reduce(initialState, events));
});

test('an accepted delivery shows its run as queued until the run speaks for itself', () => {
	const delivery = makeDelivery({runId: 9});

	const queued = reduce(initialState, [received(delivery)]);
	const running = reduce(queued, [runChanged(makeRun({id: 9, state: 'running', target: 'log'}))]);

	expect(queued.runs).toMatchObject([{id: 9, state: 'queued', delivery: delivery.id}]);
	expect(running.runs).toMatchObject([{id: 9, state: 'running', target: 'log'}]);
});

test('above the limit ended runs go first, those under way stay', () => {
	const active = runChanged(makeRun({id: 1, state: 'running'}));
	const ended = Array.from({length: limits.runs + 10}, (_, index) =>
		runChanged(makeRun({id: index + 2, state: 'done'})),
	);

	const {runs} = reduce(initialState, [active, ...ended]);

	expect(runs).toHaveLength(limits.runs);
	expect(runs[0]).toMatchObject({id: 1, state: 'running'});
});

test('where more runs wait than are listed, those under way stay, and the oldest that wait go', () => {
	const active = runChanged(makeRun({id: 1, state: 'running'}));
	const waiting = Array.from({length: limits.runs + 10}, (_, index) =>
		runChanged(makeRun({id: index + 2, state: 'queued'})),
	);
	const {runs} = reduce(initialState, [active, ...waiting]);

	expect(runs).toHaveLength(limits.runs);
	expect(runs[0]).toMatchObject({id: 1, state: 'running'});
	expect(runs[1]?.id).toBe(13);
});

test('a run that an accepted delivery implies is about the same', () => {
	const delivery = makeDelivery({runId: 9, subject: 'acme/api#7 opened'});
	const {runs} = reduce(initialState, [{type: 'delivery-received', at: 0, delivery}]);
	expect(runs).toMatchObject([{id: 9, state: 'queued', subject: 'acme/api#7 opened'}]);
});

test('the progress of a run is kept while it runs, bounded, and dropped when it ends', () => {
	const entries = Array.from({length: limits.progressEntries + 50}, (_, index): GatewayEvent => ({
		type: 'run-progressed',
		at: index,
		runId: 4,
		entry: {at: index, kind: 'text', text: `entry ${index}`},
	}));

	const running = reduce(initialState, entries);
	const ended = reduce(running, [runChanged(makeRun({id: 4, state: 'failed'}))]);

	expect(running.progress[4]).toHaveLength(limits.progressEntries);
	expect(running.progress[4]?.at(-1)?.text).toBe(`entry ${limits.progressEntries + 49}`);
	expect(ended.progress).toEqual({});
});

const said = (from: number, text: string, runId = 4): GatewayEvent => ({
	type: 'run-said',
	at: 9,
	runId,
	from,
	text,
});

test('what a model says is gathered, bounded, and counts what was left out', () => {
	const begun = reduce(initialState, [said(0, 'Let '), said(4, 'me'), said(0, 'Other', 5)]);
	const gap = reduce(begun, [said(100, 'later')]);
	const long = reduce(gap, [said(105, `\ud83d\ude00${'x'.repeat(limits.saidCharacters - 1)}`)]);

	expect(begun.said).toEqual({
		4: {at: 9, from: 0, text: 'Let me'},
		5: {at: 9, from: 0, text: 'Other'},
	});
	expect(gap.said?.[4]).toEqual({at: 9, from: 100, text: 'later'});
	expect(long.said?.[4]).toEqual({
		at: 9,
		from: 107,
		text: 'x'.repeat(limits.saidCharacters - 1),
	});
	expect(reduce(long, [said(0, 'Anew')]).said?.[4]?.text).toBe('Anew');
});

test.for([
	[
		'the whole answer',
		{type: 'run-progressed', at: 1, runId: 4, entry: {at: 1, kind: 'text', text: 'Let me'}},
	],
	[
		'a failure',
		{type: 'run-progressed', at: 1, runId: 4, entry: {at: 1, kind: 'error', text: 'cut'}},
	],
	['the end of the run', runChanged(makeRun({id: 4, state: 'cancelled'}))],
	['another try', runChanged(makeRun({id: 4, state: 'queued'}))],
] as const)('%s takes the place of what the model was saying', ([, event]) => {
	const note: GatewayEvent = {
		type: 'run-progressed',
		at: 1,
		runId: 4,
		entry: {at: 1, kind: 'note', text: 'waits'},
	};
	const begun = reduce(initialState, [
		said(0, 'Let '),
		note,
		runChanged(makeRun({id: 4, state: 'running'})),
	]);

	expect(begun.said?.[4]?.text).toBe('Let ');
	expect(reduce(begun, [event]).said).toBeUndefined();
});

test('a lost gateway is unreachable until it speaks again', () => {
	const lost = reduce(initialState, [{type: 'gateway-lost', at: 1}]);
	const back = reduce(lost, [
		{type: 'gateway-started', at: 2, pid: 1, version: '1', home: '/h', profile: 'default'},
	]);

	expect(lost.gateway.reachable).toBe(false);
	expect(back.gateway.reachable).toBe(true);
});

test('a model offer lasts until the next choice of a model', () => {
	const offline = {provider: 'offline', name: 'svc-offline-1', origin: 'none'} as const;
	const offer = {provider: 'openai', name: 'gpt', origin: 'OPENAI_API_KEY'} as const;

	const offered = reduce(initialState, [{type: 'model-selected', at: 1, model: offline, offer}]);
	const taken = reduce(offered, [{type: 'model-selected', at: 2, model: offer}]);

	expect(offered.modelOffer).toEqual(offer);
	expect(taken.modelOffer).toBeUndefined();
});

test('the run that a delivery implies never replaces what the run said itself', () => {
	const running = runChanged(makeRun({id: 9, state: 'running'}));
	const delivery = received(makeDelivery({runId: 9}));

	expect(reduce(initialState, [running, delivery]).runs).toMatchObject([{state: 'running'}]);
	expect(reduce(reduce(initialState, [running]), [delivery]).runs).toMatchObject([
		{state: 'running'},
	]);
});

test('imported deliveries are listed and not counted: another gateway answered them', () => {
	const {deliveries, totals} = reduce(initialState, [
		received(makeDelivery({idSource: 'import'})),
		received(makeDelivery()),
	]);
	expect(deliveries).toHaveLength(2);
	expect(totals).toMatchObject({received: 1, ok: 1});
});

test('1,200 newer runs do not hide one that waits for a person, and the journal counts those that no list has', () => {
	const dead = makeRun({id: 3, state: 'dead'});
	const restored: GatewayEvent = {
		type: 'history-restored',
		at: 0,
		deliveries: [],
		runs: [dead, makeRun({id: 500, state: 'done'})],
		runsFrom: 500,
		groups: [],
		approvals: [],
	};
	const newer = Array.from({length: 1200}, (_, index) =>
		runChanged(makeRun({id: 501 + index, state: 'done'})),
	);
	let state = reduce(initialState, [restored]);
	expect(state.wholeFrom?.run).toBe(500);
	for (const event of newer) {
		state = reduce(state, [event]);
	}

	expect(state.runs[0]).toBe(dead);
	expect(state.runs.length).toBe(limits.runs);
	expect(state.wholeFrom?.run).toBe(state.runs[1]?.id);
	expect(runsToDecide(state)).toBe(1);
	const counts = {deliveries: 9000, runs: 9000, runsToDecide: 7};
	expect(runsToDecide(reduce(state, [{type: 'journal-counted', at: 1, counts}]))).toBe(7);
});

test('the list says from which delivery on it has no gap: a busy route gives way to quiet ones', () => {
	const rows = (count: number, route: string) =>
		Array.from({length: count}, () => received(makeDelivery({route})));
	const quiet = rows(1000, 'quiet');
	const state = reduce(initialState, [...quiet, ...rows(limits.deliveries - 1000, 'busy')]);
	const full = reduce(state, rows(10, 'busy'));
	const from = full.wholeFrom?.delivery ?? '';

	expect(full.deliveries.filter(({delivery}) => delivery.route === 'quiet').length).toBe(1000);
	expect(full.deliveries.find(({key}) => key >= from)?.delivery.route).toBe('busy');
	expect(state.wholeFrom?.delivery).toBeUndefined();
});

test('history that is restored after the receiver listens goes before what came meanwhile, and takes nothing back', () => {
	const old = [makeDelivery(), makeDelivery()];
	const fresh = makeDelivery({runId: 7});
	const running = makeRun({id: 7, state: 'running'});
	const restored: GatewayEvent = {
		type: 'history-restored',
		at: 0,
		deliveries: old,
		runs: [makeRun({id: 3, state: 'done'}), makeRun({id: 7, state: 'queued'})],
		groups: [],
		approvals: [],
	};
	const state = reduce(reduce(initialState, [received(fresh), runChanged(running)]), [restored]);

	expect(state.deliveries.map(({key}) => key)).toEqual([...old, fresh].map(({id}) => id));
	expect(state.runs.map(({id, state: is}) => [id, is])).toEqual([
		[3, 'done'],
		[7, 'running'],
	]);
	expect(state.totals.received).toBe(1);
});
