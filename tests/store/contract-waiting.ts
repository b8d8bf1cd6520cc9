import {describe, expect, test} from 'vitest';
import type {Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {createJumpingClock} from './jumping-clock.ts';
import {
	acceptGrouped,
	acceptRun,
	fireRun,
	groupedEntry,
	hourMs,
	leaseOne,
	sampleEntry,
	sampleWindow,
	startMs,
	type Entry,
} from './samples.ts';

const {windowMs} = sampleWindow;
const minuteMs = 60_000;
const bounded = {maxQueued: 4};

const idsOf = (leases: ReadonlyArray<{readonly run: {readonly id: number}}>) =>
	leases.map(({run}) => run.id);

/** An event of `route` whose run is to start at `dueAt`. */
const laterEntry = (route: string, dueAt: number, rest: Partial<Entry> = {}) =>
	sampleEntry({route}, {dueAt, ...bounded, ...rest});

/** What waits for its time: how much may, and by which clock it waits. */
export function describeWaiting(name: string, use: Use): void {
	describe(`${name}: the bound of what waits for its time`, () => {
		test(
			'"half of it for each (profile, route)": a route whose groups wait takes nobody else’s place',
			use(async store => {
				const event = (route: string, key: string, profile = 'default') =>
					groupedEntry(key, {route, profile}, bounded);
				await acceptGrouped(store, event('a', '1'));
				await acceptGrouped(store, event('a', '2'));
				const refused = event('a', '3');
				expect(await store.intake.accept(refused)).toEqual({
					kind: 'full',
					queued: 2,
					most: 2,
					freeInMs: windowMs,
				});
				expect(await store.journal.get(refused.delivery.id)).toBeUndefined();
				expect(await store.intake.holderOf(refused.delivery, hourMs)).toBeUndefined();

				expect((await acceptGrouped(store, event('a', '2'))).group.count).toBe(2);
				await acceptGrouped(store, event('b', '1'));
				await acceptGrouped(store, event('a', '1', 'acme'));
				for (let count = 0; count < 4; count += 1) {
					await acceptRun(store, sampleEntry({route: 'c'}, bounded));
				}

				expect(await store.intake.accept(sampleEntry({route: 'c'}, bounded))).toEqual({
					kind: 'full',
					queued: 4,
					most: 4,
				});
			}),
		);

		test(
			'all of it together: as many as may be queued',
			use(async (store, clock) => {
				await acceptGrouped(store, groupedEntry('1', {route: 'a'}, bounded));
				await acceptRun(store, laterEntry('a', startMs + minuteMs));
				clock.advance(1000);
				await acceptRun(store, laterEntry('b', startMs + minuteMs));
				await acceptRun(store, laterEntry('b', startMs + minuteMs));
				const full = {kind: 'full', queued: 4, most: 4, freeInMs: windowMs - 1000};
				for (const entry of [
					laterEntry('c', startMs + minuteMs),
					groupedEntry('1', {route: 'c'}, bounded),
				]) {
					expect(await store.intake.accept(entry)).toEqual(full);
				}

				await fireRun(store, bounded);
			}),
		);

		test(
			'promised starts leave the others their places, and wait like all others once their time has come',
			use(async (store, clock) => {
				const first = await acceptRun(store, laterEntry('a', startMs + minuteMs));
				const second = await acceptRun(store, laterEntry('a', startMs + 2 * minuteMs));
				expect(await store.intake.accept(laterEntry('a', startMs + 3 * minuteMs))).toEqual({
					kind: 'full',
					queued: 2,
					most: 2,
					freeInMs: minuteMs,
				});
				for (const route of ['a', 'b', 'b', 'b']) {
					await acceptRun(store, sampleEntry({route}, bounded));
				}

				clock.advance(minuteMs);
				expect(await store.intake.accept(sampleEntry({route: 'b'}, bounded))).toEqual({
					kind: 'full',
					queued: 5,
					most: 4,
				});
				const third = await acceptRun(store, laterEntry('a', startMs + 3 * minuteMs));
				expect(await store.runs.counts()).toEqual({queued: 7, active: 0});
				await store.runs.cancel(second);
				await acceptRun(store, laterEntry('a', startMs + 4 * minuteMs));
				expect(idsOf(await store.runs.lease(9, hourMs))).toContain(first);
				expect(await store.runs.view(third)).toMatchObject({state: 'queued'});
			}),
		);

		test(
			'"of what others leave, all but the last tenth": a flood of one route leaves places to others, and what ends makes room',
			use(async store => {
				const accept = async (route: string, profile = 'default') =>
					store.intake.accept(sampleEntry({route, profile}, {maxQueued: 20}));
				for (let count = 0; count < 18; count += 1) {
					expect(await accept('a')).toMatchObject({kind: 'accepted'});
				}

				expect(await accept('a')).toEqual({kind: 'full', queued: 18, most: 18, ofRoute: true});
				// What waits for its time has its own bound.
				await acceptRun(store, laterEntry('a', startMs + minuteMs));
				await acceptRun(store, sampleEntry({route: 'b'}, {maxQueued: 20}));
				expect(await accept('a', 'acme')).toMatchObject({kind: 'accepted'});
				expect(await accept('b')).toEqual({kind: 'full', queued: 20, most: 20});

				const leases = await store.runs.lease(6, hourMs);
				for (const lease of leases) {
					expect(await store.runs.settle(lease, {state: 'done'})).toBe(true);
				}

				// Others have none now, and this route four less.
				for (let count = 0; count < 4; count += 1) {
					expect(await accept('a')).toMatchObject({kind: 'accepted'});
				}

				expect(await accept('a')).toMatchObject({queued: 18, ofRoute: true});
			}),
		);

		test(
			'"at least 1", and none when nothing may be queued',
			use(async store => {
				await acceptGrouped(store, groupedEntry('1', {}, {maxQueued: 1}));
				expect(await store.intake.accept(groupedEntry('2', {}, {maxQueued: 1}))).toMatchObject({
					kind: 'full',
					most: 1,
				});
				await acceptRun(store, sampleEntry({}, {maxQueued: 1}));
				const none = groupedEntry('1', {route: 'none'}, {maxQueued: 0});
				expect(await store.intake.accept(none)).toMatchObject({kind: 'full', most: 0});
			}),
		);

		test(
			'what fails gives its place back, and what is cancelled, and what a crash leaves is counted',
			use(async (store, clock, home) => {
				const first = laterEntry('a', startMs + minuteMs);
				const id = await acceptRun(store, first);
				for (const entry of [
					sampleEntry({route: 'a', id: first.delivery.id}, {dueAt: startMs + 1, ...bounded}),
					groupedEntry('k', {route: 'a', id: first.delivery.id}, bounded),
				]) {
					await expect(store.intake.accept(entry)).rejects.toMatchObject({
						code: 'journal_unavailable',
					});
				}

				await acceptGrouped(store, groupedEntry('k', {route: 'a'}, bounded));
				const full = {kind: 'full', queued: 2, most: 2, freeInMs: windowMs};
				expect(await store.intake.accept(laterEntry('a', startMs + 1))).toEqual(full);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.intake.accept(laterEntry('a', startMs + 1))).toEqual(full);
				expect(await reopened.runs.cancel(id)).toBe(true);
				await acceptRun(reopened, laterEntry('a', startMs + minuteMs));
			}),
		);
	});

	describe(`${name}: the clock of duplicates`, () => {
		const duplicate = {kind: 'duplicate'};

		test(
			'"held for `idempotencyMs` from its acceptance", however the wall clock is set meanwhile',
			use(async (store, clock) => {
				const [forward, back] = [sampleEntry(), sampleEntry()];
				const again = async ({delivery: {deliveryId}}: Entry) =>
					store.intake.accept(sampleEntry({deliveryId}));
				await acceptRun(store, forward);
				clock.jump(1.5 * hourMs);
				expect(await again(forward)).toMatchObject(duplicate);
				await acceptRun(store, back);
				clock.jump(-3 * hourMs);
				await store.journal.purge({bodyMs: 0, bodyBytes: 0, rowMs: 0});
				clock.advance(hourMs - 1);
				expect(await again(forward)).toMatchObject(duplicate);
				expect(await again(back)).toMatchObject(duplicate);
				clock.advance(1);
				expect(await again(forward)).toMatchObject({kind: 'accepted'});
				expect(await again(back)).toMatchObject({kind: 'accepted'});
			}),
		);

		test(
			'opening: what was taken under a clock that has been set back since counts as taken now',
			use(async (store, _clock, home) => {
				const {delivery} = sampleEntry();
				await store.intake.record({delivery, claim: true});
				await using copy = await home.crash();
				const back = createJumpingClock(startMs - 24 * hourMs);
				{
					await using reopened = await copy.open(back);
					back.advance(hourMs - 1);
					expect(await reopened.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
				}

				await using again = await copy.open(back);
				expect(await again.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
				back.advance(1);
				expect(await again.intake.holderOf(delivery, hourMs)).toBeUndefined();
			}),
		);
	});

	describe(`${name}: the identifier of what is sent without a run`, () => {
		test(
			'is taken before it goes out, also after a crash, and free again once it is recorded as failed',
			use(async (store, clock, home) => {
				const {delivery} = sampleEntry();
				const repeated = {...sampleEntry({deliveryId: delivery.deliveryId}).delivery};
				expect(await store.intake.reserve(delivery, hourMs)).toEqual({kind: 'reserved'});
				expect(await store.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
				{
					await using copy = await home.crash();
					await using reopened = await copy.open(clock);
					expect(await reopened.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
					expect(await reopened.intake.reserve(repeated, hourMs)).toMatchObject({of: delivery.id});
				}

				await store.intake.record({delivery, claim: false});
				expect(await store.intake.holderOf(delivery, hourMs)).toBeUndefined();
				expect(await store.intake.reserve(repeated, hourMs)).toEqual({kind: 'reserved'});
				await store.intake.record({delivery: repeated, claim: true});
				const third = sampleEntry({deliveryId: delivery.deliveryId}).delivery;
				const duplicate = {kind: 'duplicate', of: repeated.id};
				expect(await store.intake.reserve(third, hourMs)).toEqual(duplicate);
				await store.intake.record({delivery: third, claim: false});
				expect(await store.intake.holderOf(delivery, hourMs)).toBe(repeated.id);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.intake.reserve(third, hourMs)).toEqual(duplicate);
				clock.advance(hourMs);
				expect(await reopened.intake.reserve(third, hourMs)).toEqual({kind: 'reserved'});
			}),
		);
	});

	describe(`${name}: the body as a second identifier`, () => {
		const bodyHash = 'same';

		test(
			'is held by a run until it gives up, also after a crash, and by what is sent until that failed',
			use(async (store, clock, home) => {
				const entry = () => ({...sampleEntry(), bodyHash});
				const first = entry();
				expect(await store.intake.accept(first)).toMatchObject({kind: 'accepted'});
				const duplicate = {kind: 'duplicate', of: first.delivery.id, byBody: true};
				{
					await using copy = await home.crash();
					await using reopened = await copy.open(clock);
					expect(await reopened.intake.accept(entry())).toEqual(duplicate);
				}

				expect(await store.intake.accept(entry())).toEqual(duplicate);
				expect(await store.intake.holderOf({...entry().delivery, bodyHash}, hourMs)).toBe(
					first.delivery.id,
				);
				expect(await store.intake.accept(sampleEntry())).toMatchObject({kind: 'accepted'});
				await store.runs.cancel(1);
				const {delivery} = entry();
				const reserve = async ({delivery: next}: Entry) =>
					store.intake.reserve({...next, bodyHash}, hourMs);
				expect(await store.intake.reserve({...delivery, bodyHash}, hourMs)).toEqual({
					kind: 'reserved',
				});
				expect(await reserve(entry())).toMatchObject({of: delivery.id});
				await store.intake.record({delivery, claim: false, bodyHash});
				expect(await reserve(entry())).toEqual({kind: 'reserved'});
			}),
		);
	});

	describe(`${name}: the clock of what waits for its time`, () => {
		const leaseAt = async (store: Store) => idsOf(await store.runs.lease(9, hourMs));

		test(
			'a person has the next try of a run made now',
			use(async store => {
				const id = await acceptRun(store);
				const retry = {state: 'retry', at: startMs + 2 * minuteMs, error: 'busy'} as const;
				await store.runs.settle(await leaseOne(store), retry);
				expect(await leaseAt(store)).toEqual([]);

				expect(await store.runs.retry(id)).toBe(true);
				expect((await store.runs.view(id))?.nextAttemptAt ?? 0).toBeLessThanOrEqual(startMs);
				expect(await leaseAt(store)).toEqual([id]);
				// It is under way: there is no other try to hasten.
				expect(await store.runs.retry(id)).toBe(false);
			}),
		);

		for (const [word, byMs] of [
			['forward', 3 * hourMs],
			['back', -3 * hourMs],
		] as const) {
			test(
				`a wall clock that is set ${word} moves no promised start and no other try, and is shown`,
				use(async (store, clock, home) => {
					const tried = await acceptRun(store, sampleEntry({route: 'tried'}));
					const lease = await leaseOne(store);
					const retry = {state: 'retry', at: startMs + 2 * minuteMs, error: 'busy'} as const;
					await store.runs.settle(lease, retry);
					const soon = await acceptRun(store, laterEntry('a', startMs + minuteMs));
					const late = await acceptRun(store, laterEntry('a', startMs + 3 * minuteMs));
					clock.advance(10_000);
					clock.jump(byMs);
					const [now, other] = [
						await acceptRun(store, sampleEntry({route: 'a'})),
						await acceptRun(store, sampleEntry({route: 'tried'})),
					];
					expect(await leaseAt(store)).toEqual([now, other]);
					expect(await store.runs.nextDue()).toBe(clock.now() + 50_000);
					for (const [id, atMs] of [
						[soon, 1],
						[tried, 2],
						[late, 3],
					] as const) {
						const nextAttemptAt = home.now(clock) - 10_000 + atMs * minuteMs;
						expect(await store.runs.view(id)).toMatchObject({nextAttemptAt});
					}

					const again = await acceptRun(
						store,
						laterEntry('a', clock.now() + minuteMs, {maxQueued: 99}),
					);
					clock.advance(49_999);
					expect(await leaseAt(store)).toEqual([]);
					clock.advance(1);
					expect(await leaseAt(store)).toEqual([soon]);
					clock.advance(10_000);
					expect(await leaseAt(store)).toEqual([again]);
					clock.advance(50_000);
					expect(await leaseAt(store)).toEqual([tried]);
					clock.advance(minuteMs);
					expect(await leaseAt(store)).toEqual([late]);
				}),
			);
		}

		test(
			'opening: a start lies no further ahead than it did when it was promised, and no other try further than an hour',
			use(async (store, clock, home) => {
				const tried = await acceptRun(store, sampleEntry({route: 'tried'}));
				const at = startMs + 2 * minuteMs;
				await store.runs.settle(await leaseOne(store), {state: 'retry', at, error: 'busy'});
				const now = await acceptRun(store, sampleEntry({route: 'now'}));
				clock.advance(5000);
				const promised = await acceptRun(store, laterEntry('a', clock.now() + minuteMs));
				await using copy = await home.crash();
				const back = createJumpingClock(startMs - 24 * hourMs);
				{
					await using reopened = await copy.open(back);
					expect(await reopened.runs.view(promised)).toMatchObject({
						createdAt: back.now(),
						nextAttemptAt: back.now() + minuteMs,
					});
				}

				back.advance(10_000);
				await using again = await copy.open(back);
				expect(await leaseAt(again)).toEqual([now]);
				back.advance(50_000);
				expect(await leaseAt(again)).toEqual([promised]);
				back.advance(hourMs - minuteMs);
				expect(await leaseAt(again)).toEqual([tried]);
			}),
		);

		test(
			'opening: what became due meanwhile is due, and what did not waits for the rest',
			use(async (store, clock, home) => {
				const soon = await acceptRun(store, laterEntry('a', startMs + minuteMs));
				const late = await acceptRun(store, laterEntry('a', startMs + 3 * minuteMs));
				await using copy = await home.crash();
				clock.advance(2 * minuteMs);
				await using reopened = await copy.open(clock);
				expect(await leaseAt(reopened)).toEqual([soon]);
				clock.advance(minuteMs);
				expect(await leaseAt(reopened)).toEqual([late]);
			}),
		);

		test(
			'times that a jump moved outlive a crash',
			use(async (store, clock, home) => {
				const promised = await acceptRun(store, laterEntry('a', startMs + minuteMs));
				clock.jump(-hourMs);
				expect(await leaseAt(store)).toEqual([]);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				clock.advance(minuteMs - 1);
				expect(await leaseAt(reopened)).toEqual([]);
				clock.advance(1);
				expect(await leaseAt(reopened)).toEqual([promised]);
			}),
		);
	});
}
