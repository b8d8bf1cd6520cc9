import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Delivery, StoredDelivery} from '../../source/core/delivery.ts';
import {deliveryVocabulary} from '../../source/core/filter/delivery-vocabulary.ts';
import {parseFilter} from '../../source/core/filter/filter.ts';
import {receivedBody} from '../../source/core/filter/payload-terms.ts';
import {runVocabulary} from '../../source/core/filter/vocabularies.ts';
import {numberOfId} from '../../source/core/ids.ts';
import type {SumsBy} from '../../source/core/run-sums.ts';
import type {HistoryItems, HistoryNoun, HistoryQuestion} from '../../source/store/history/port.ts';
import type {Store} from '../../source/store/port.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import type {Use} from './contract.ts';
import {
	acceptGrouped,
	acceptRun,
	dayMs,
	groupedEntry,
	hourMs,
	leaseOne,
	sampleDelivery,
	sampleEntry,
	startMs,
} from './samples.ts';

/** All steps of a search, one after the other. */
async function searchAll<Noun extends HistoryNoun>(
	store: Store,
	noun: Noun,
	question: Partial<HistoryQuestion> = {},
): Promise<{readonly items: ReadonlyArray<HistoryItems[Noun]>; readonly scanned: number}> {
	const isUp = question.after !== undefined;
	let asked: HistoryQuestion = {filter: '', now: startMs, limit: 1000, ...question};
	const items: Array<HistoryItems[Noun]> = [];
	let scanned = 0;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
		const step = await store.history.search(noun, asked);
		items.push(...step.items);
		scanned += step.scanned;
		if (step.searchedTo === undefined) {
			return {items, scanned};
		}

		asked = {...asked, [isUp ? 'after' : 'before']: step.searchedTo};
	}
}

const ids = (items: ReadonlyArray<{readonly id: string | number}>) => items.map(({id}) => id);

const anyDelivery = fc
	.record({
		route: fc.constantFrom('github', 'gh-review', 'Straße', 'a[b?c'),
		event: fc.constantFrom('push', 'pull_request.opened', 'ÄRGER', '-'),
		status: fc.constantFrom(200, 202, 401, 429, 502),
		outcome: fc.constantFrom('accepted', 'ignored:filter', 'signature', 'rate', 'duplicate'),
		durationMs: fc.constantFrom(0, 1.5, 20, 1001),
		bodyBytes: fc.constantFrom(0, 25, 200_000),
		flags: fc.nat(1),
		agoMs: fc.nat(2 * dayMs),
		detail: fc.constantFrom('', 'skew +412 s', 'K‑elvin K', 'says "no" \\ more'),
		body: fc.constantFrom(
			undefined,
			'{"action":"opened","n":7}',
			'{"payload":{"n": 70e-1, "action": {"x": "opened"}}}',
			'{"n":"7+7%","list":[{"n":0.0000001},7.0]}',
			'payload=%7B%22n%22%3A7%7D',
			'{"t":"\\u00e9t\\u00e9 \\"x\\""}',
			'plain',
		),
	})
	.map(({agoMs, detail, body, ...rest}): Partial<StoredDelivery> => ({
		...rest,
		receivedAt: startMs - agoMs,
		trace: detail === '' ? [] : [{step: 'signature', verdict: 'stop', detail}],
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this key may be absent
		...({body: body === undefined ? undefined : new TextEncoder().encode(body)} as object),
	}));

const word = fc
	.tuple(
		fc.constantFrom('', '', '-'),
		fc.constantFrom(
			'route:gh*',
			'route:git,str',
			'route:STRASSE',
			'route:[b?',
			'event:opened',
			'event:är*',
			'status:4xx',
			'status>=400',
			'status<202',
			'status:rate',
			'outcome:ignored',
			'ignored:filter',
			'ms>1s',
			'ms<=1.5',
			'size>10k',
			'since:6h',
			'since:11:00',
			'has:flags',
			'has:run',
			'id:delivery-1',
			'skew',
			'kelvin',
			'"says \\',
			'git',
			'"202 acc"',
			'payload.action:opened',
			'payload.n>6',
			'payload.n:7,8',
			'payload.n:7*',
			'payload.action:OPEN',
			'payload.action:x":"*',
			'payload.list.1:7',
			'payload.list:e-7',
			'payload.list:*',
			'-payload.n:7',
			'~ été',
			'~ plain',
			'nonsense:x',
		),
	)
	.map(parts => parts.join(''));

/** The whole history, searched by the language of the filters. */
export function describeHistory(name: string, use: Use): void {
	describe(`${name}: history`, () => {
		test(
			'pages lead back to the very first row and forth again, without a gap or a row twice',
			use(async store => {
				const stored = Array.from({length: 250}, () => sampleDelivery());
				await Promise.all(
					stored.map(async delivery => store.intake.record({delivery, claim: false})),
				);

				const back = await searchAll(store, 'deliveries', {limit: 60});
				const forth = await searchAll(store, 'deliveries', {limit: 60, after: 0});
				expect(ids(forth.items)).toEqual(ids(stored));
				expect(ids(back.items)).toEqual(ids(stored).toReversed());
				expect([back.scanned, forth.scanned]).toEqual([250, 250]);
			}),
		);

		test(
			'what came since a time is counted by route and part of the time, strange names and what another gateway answered apart',
			use(async store => {
				const ago = (ms: number, overrides: Partial<StoredDelivery> = {}) =>
					sampleDelivery({receivedAt: startMs - ms, ...overrides});
				const newest = ago(0, {outcome: 'coalesced'});
				for (const delivery of [
					ago(dayMs + 1),
					ago(dayMs),
					ago(1000, {status: 200, outcome: 'ignored:filter'}),
					ago(1000, {status: 401, outcome: 'signature'}),
					ago(1000, {route: 'other', profile: 'work', outcome: 'delivered'}),
					ago(1000, {route: 'guess-1', status: 404, outcome: 'route'}),
					ago(1000, {route: 'guess-2', status: 404, outcome: 'route'}),
					ago(1000, {idSource: 'import'}),
					newest,
				]) {
					store.intake.note(delivery);
				}

				const from = startMs - dayMs;
				const {counts, ...rest} = await store.history.count({from, partMs: dayMs / 2});
				expect(rest).toEqual({newest: numberOfId(newest.id)});
				expect(
					counts
						.map(({profile, route, ...sums}) => [`${profile}/${route}`, ...Object.values(sums)])
						.toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
				).toEqual([
					['/', 1, 2, 0, 2],
					['default/github', 0, 1, 1, 0],
					['default/github', 1, 2, 0, 1],
					['default/github', 2, 1, 1, 0],
					['work/other', 1, 1, 1, 0],
				]);
				const before = numberOfId(newest.id);
				const older = await store.history.count({from: startMs - 1, partMs: 1, before});
				expect(older.counts).toEqual([]);
			}),
		);

		test(
			'the runs made since a time are summed by route, key, model or job: how they ended, tokens, cost and time',
			use(async (store, clock) => {
				const leaseMs = hourMs;
				const plan = {prompt: 'x', target: {kind: 'log', extra: {}}, skills: []};
				const cost = {amount: 0.5, currency: 'USD'};
				await acceptRun(store, sampleEntry({route: 'old'}));
				await store.runs.settle(await leaseOne(store, leaseMs), {state: 'done'});
				clock.advance(1000);
				const from = clock.now();
				for (const [route, tookMs, profile] of [
					['hook', 300, 'default'],
					['hook', 100, 'default'],
					['hook', 100, 'work'],
				] as const) {
					// oxlint-disable-next-line no-await-in-loop -- one after the other
					await acceptRun(store, sampleEntry({route, profile, receivedAt: from}));
					// oxlint-disable-next-line no-await-in-loop
					const lease = await leaseOne(store, leaseMs);
					store.runs.work(lease, {
						model: 'small',
						toolCalls: 0,
						usage: {inputTokens: 10, outputTokens: 2, ...(tookMs === 300 && {cost})},
					});
					clock.advance(tookMs);
					// oxlint-disable-next-line no-await-in-loop
					await store.runs.settle(lease, {state: 'failed', error: 'gone'});
				}

				const chat = {profile: 'default', origin: {kind: 'key', name: 'laptop'}, plan} as const;
				await store.runs.beginChat(chat, leaseMs);
				const rowsOf = async (by: SumsBy, profile?: string) => {
					const question = {by, from, ...(profile !== undefined && {profile})};
					const {rows, ...rest} = await store.history.sum(question);
					expect(rest).toEqual({since: from, leftOut: 0});
					return rows;
				};

				const hook = {runs: 2, failed: 2, success: 0, inputTokens: 20, outputTokens: 4};
				expect(await rowsOf('route', 'default')).toMatchObject([
					{
						profile: 'default',
						route: 'hook',
						...hook,
						costs: [cost],
						unpriced: 1,
						medianMs: 200,
						longestMs: 300,
					},
					{route: null, runs: 1, open: 1, costs: [], unpriced: 0},
				]);
				expect(await rowsOf('route', 'work')).toMatchObject([{route: 'hook', runs: 1}]);
				expect((await rowsOf('key')).map(({key, runs}) => [key, runs])).toEqual([
					[null, 3],
					['laptop', 1],
				]);
				expect((await rowsOf('model')).map(({model, runs}) => [model, runs])).toEqual([
					['small', 3],
					[null, 1],
				]);
				expect(await rowsOf('job', 'work')).toMatchObject([{profile: 'work', job: null, runs: 1}]);
				expect(await rowsOf('key', 'nobody')).toEqual([]);
			}),
		);

		test(
			'a listed and a found delivery says what became of it: the state of its run, or that a later one of its group took its place',
			use(async store => {
				const [first, latest] = [groupedEntry('a'), groupedEntry('a')];
				await acceptGrouped(store, first);
				await acceptGrouped(store, latest);
				const noted = sampleDelivery({outcome: 'ignored:filter'});
				await store.intake.record({delivery: noted, claim: false});
				await acceptRun(store);
				await store.runs.settle(await leaseOne(store), {state: 'dead', error: 'gone'});

				const worksOf = (items: readonly Delivery[]) =>
					items.map(({work}) => String(work)).toSorted((a, b) => (a < b ? -1 : 1));
				const expected = ['dead', 'superseded', 'undefined', 'undefined'];
				expect(worksOf(await store.journal.list({limit: 9}))).toEqual(expected);
				expect(worksOf((await searchAll(store, 'deliveries')).items)).toEqual(expected);
			}),
		);

		test(
			'what was noted a moment ago is found',
			use(async store => {
				const delivery = sampleDelivery({status: 404, outcome: 'route'});
				store.intake.note(delivery);
				expect(ids((await searchAll(store, 'deliveries', {filter: 'status:404'})).items)).toEqual([
					delivery.id,
				]);
			}),
		);

		test(
			'a filter is answered as it answers about the rows themselves',
			use(async store => {
				await fc.assert(
					fc.asyncProperty(
						fc.array(anyDelivery, {maxLength: 12}),
						fc.array(fc.array(word, {maxLength: 3}), {minLength: 4, maxLength: 8}),
						async (overrides, filters) => {
							const from = (await searchAll(store, 'deliveries', {limit: 1})).items[0]?.id;
							const stored = overrides.map((one, index) =>
								sampleDelivery({
									...one,
									id: (numberOfId(from ?? '1') + 1 + index).toString(36),
								}),
							);
							await Promise.all(
								stored.map(async delivery => store.intake.record({delivery, claim: false})),
							);
							for (const words of filters) {
								const filter = words.join(' ');
								const {matches} = parseFilter(filter, deliveryVocabulary);
								const expected = stored.filter(delivery =>
									matches({delivery, received: () => receivedBody(delivery)}, startMs),
								);
								// oxlint-disable-next-line no-await-in-loop -- one store
								const {items} = await searchAll(store, 'deliveries', {
									filter,
									after: numberOfId(from ?? '0'),
								});
								expect({filter, ids: ids(items)}).toEqual({filter, ids: ids(expected)});
							}
						},
					),
					{numRuns: propertyRuns(40)},
				);
			}),
		);

		test(
			'runs are found by where they stand, those that wait for a person however many came since, and are counted',
			use(async store => {
				const dead = await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.settle(lease, {state: 'dead', error: 'gone'});
				await Promise.all(
					Array.from({length: 120}, async () => acceptRun(store, sampleEntry({route: 'busy'}))),
				);

				expect(ids((await searchAll(store, 'runs', {filter: 'state:dead'})).items)).toEqual([dead]);
				expect(ids(await store.runs.toDecide(10))).toEqual([dead]);
				expect(await store.runs.kept()).toEqual({toDecide: 1, all: 121});
				expect(await store.journal.count()).toBe(121);
				const {items} = await searchAll(store, 'runs', {filter: '-route:busy push id<99'});
				const {matches} = parseFilter('-route:busy push id<99', runVocabulary);
				expect(items.every(run => matches(run, startMs))).toBe(true);
				expect(ids(items)).toEqual([dead]);
				await store.runs.retry(dead);
				expect(await store.runs.kept()).toEqual({toDecide: 0, all: 121});
			}),
		);

		test(
			'who hangs up gives the place among those who wait back at once, and the others are answered',
			use(async store => {
				await acceptRun(store);
				const question = {filter: '', now: startMs, limit: 10};
				const answered = {items: [expect.anything()]};
				const leaving = new AbortController();
				const stays = Array.from({length: 2}, async () => store.history.search('runs', question));
				const left = Array.from({length: 14}, async () =>
					store.history.search('runs', question, leaving.signal),
				);
				await expect(store.history.search('runs', question)).rejects.toMatchObject({
					code: 'history_busy',
				});

				leaving.abort();
				const next = store.history.search('runs', question);
				const outcomes = await Promise.allSettled(left);
				expect(outcomes.every(({status}) => status === 'rejected')).toBe(true);
				expect(await Promise.all([...stays, next])).toMatchObject([answered, answered, answered]);
				await expect(store.history.search('runs', question, leaving.signal)).rejects.toMatchObject({
					name: 'AbortError',
				});
			}),
		);

		test(
			'groups are part of it once they are dispatched',
			use(async store => {
				const {group} = await acceptGrouped(store);
				await acceptGrouped(store, groupedEntry('acme/web#1'));
				await store.groups.dispatch({id: group.id}, 'person');
				const {items} = await searchAll(store, 'groups', {filter: 'key:api'});
				expect(items).toMatchObject([{id: group.id, state: 'dispatched'}]);
				expect((await searchAll(store, 'groups')).items).toHaveLength(1);
			}),
		);
	});
}
