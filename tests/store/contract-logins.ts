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
	startMs,
} from './samples.ts';

const minuteMs = 60_000;
const awaiting = (...servers: readonly string[]) =>
	({state: 'awaits-logins', servers, mostMs: hourMs}) as const;
const linear = {profile: 'default', name: 'linear'};

/** A run that awaits a login to `servers`; its number. */
async function acceptAwaiting(
	store: Store,
	entry = sampleEntry(),
	servers: readonly string[] = ['linear'],
): Promise<number> {
	const id = await acceptRun(store, entry);
	const lease = await leaseOne(store);
	expect(lease.run.id).toBe(id);
	expect(await store.runs.settle(lease, awaiting(...servers))).toBe(true);
	return id;
}

/** Runs that wait for a person to log in to a tool server. */
export function describeLogins(name: string, use: Use): void {
	describe(`${name}: runs that await a login`, () => {
		test(
			'such a run is not leased, has used up no try, and says what it waits for and until when',
			use(async store => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				expect(lease.loginWaitMs).toBeUndefined();
				await store.runs.settle(lease, awaiting('linear', 'jira'));
				expect(await store.runs.lease(1, hourMs)).toEqual([]);
				expect(await store.runs.beat(lease, hourMs)).toBe(false);
				const run = await store.runs.view(id);
				expect(run).toMatchObject({
					state: 'queued',
					attempt: 0,
					awaitsLogins: ['linear', 'jira'],
					nextAttemptAt: startMs + hourMs,
				});
				expect(run?.startedAt).toBeUndefined();
				expect(run?.error).toBeUndefined();
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
				expect(await store.runs.nextDue()).toBe(startMs + hourMs);
				expect(await store.runs.awaitedLogins()).toEqual({
					runs: 1,
					servers: [linear, {profile: 'default', name: 'jira'}],
				});
			}),
		);

		test(
			'a failed try before it is still counted',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				await store.runs.settle(await leaseOne(store), {
					state: 'retry',
					at: startMs + 1,
					error: 'busy',
				});
				clock.advance(1);
				await store.runs.settle(await leaseOne(store), awaiting('linear'));
				expect(await store.runs.view(id)).toMatchObject({attempt: 1, startedAt: startMs});
			}),
		);

		test(
			'a release lets those of that server and profile go on, with what is left of their wait, in the order of their age',
			use(async (store, clock) => {
				const first = await acceptAwaiting(store);
				const both = await acceptAwaiting(store, sampleEntry(), ['jira', 'linear']);
				const other = await acceptAwaiting(store, sampleEntry(), ['jira']);
				const elsewhere = await acceptAwaiting(store, sampleEntry({profile: 'acme'}));
				clock.advance(minuteMs);
				const later = await acceptRun(store);
				expect(await store.runs.release(linear)).toEqual([first, both]);
				const leases = await store.runs.lease(9, hourMs);
				expect(leases.map(({run, loginWaitMs}) => [run.id, loginWaitMs])).toEqual([
					[first, 59 * minuteMs],
					[both, 59 * minuteMs],
					[later, undefined],
				]);
				expect(leases[0]?.run.awaitsLogins).toBeUndefined();
				expect(leases[0]?.run.attempt).toBe(1);
				expect(await store.runs.release(linear)).toEqual([]);
				expect(await store.runs.release('all')).toEqual([other, elsewhere]);
			}),
		);

		test(
			'when its time is over, or a person asks, it goes on and has nothing left to wait',
			use(async (store, clock) => {
				const asked = await acceptAwaiting(store);
				const over = await acceptAwaiting(store);
				expect(await store.runs.retry(asked)).toBe(true);
				expect(await leaseOne(store, 9 * hourMs)).toMatchObject({run: {id: asked}, loginWaitMs: 0});
				clock.advance(hourMs - 1);
				expect(await store.runs.lease(1, 2 * hourMs)).toEqual([]);
				clock.advance(1);
				expect(await leaseOne(store)).toMatchObject({run: {id: over}, loginWaitMs: 0});
			}),
		);

		test(
			'a run that a person puts back in the queue begins with a whole wait',
			use(async store => {
				const id = await acceptAwaiting(store);
				await store.runs.retry(id);
				await store.runs.settle(await leaseOne(store), {state: 'failed', error: 'no'});
				await store.runs.retry(id);
				expect((await leaseOne(store)).loginWaitMs).toBeUndefined();
			}),
		);

		test(
			'it can be cancelled, and awaits nothing then',
			use(async store => {
				const id = await acceptAwaiting(store);
				expect(await store.runs.cancel(id)).toBe(true);
				expect((await store.runs.view(id))?.awaitsLogins).toBeUndefined();
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
				expect(await store.runs.awaitedLogins()).toEqual({runs: 0, servers: []});
				expect(await store.runs.release('all')).toEqual([]);
			}),
		);

		test(
			'a lost lease cannot wait, and no run whose answer is there',
			use(async store => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.answer(lease, {text: 'x', model: 'm', toolCalls: 0});
				expect(await store.runs.settle(lease, awaiting('linear'))).toBe(false);
				await store.runs.cancel(id);
				expect(await store.runs.settle(lease, awaiting('linear'))).toBe(false);
			}),
		);

		test(
			'a crash changes nothing: it waits for the rest, and a clock that was set back makes that no longer',
			use(async (store, clock, home) => {
				const id = await acceptAwaiting(store);
				clock.advance(minuteMs);
				await using copy = await home.crash();
				{
					await using reopened = await copy.open(clock);
					expect(await reopened.runs.view(id)).toMatchObject({
						awaitsLogins: ['linear'],
						nextAttemptAt: startMs + hourMs,
					});
					expect(await reopened.runs.awaitedLogins()).toEqual({runs: 1, servers: [linear]});
					expect(await reopened.runs.lease(1, hourMs)).toEqual([]);
				}

				const back = createJumpingClock(startMs - 24 * hourMs);
				{
					await using reopened = await copy.open(back);
					expect(await reopened.runs.view(id)).toMatchObject({
						nextAttemptAt: back.now() + hourMs,
					});
				}

				await using late = await copy.open(createJumpingClock(startMs + 2 * hourMs));
				expect(await leaseOne(late)).toMatchObject({run: {id}, loginWaitMs: 0});
			}),
		);

		test(
			'a wall clock that is set moves no such wait',
			use(async (store, clock) => {
				const id = await acceptAwaiting(store);
				clock.jump(-3 * hourMs);
				await acceptRun(store, sampleEntry({route: 'other'}));
				await store.runs.lease(1, 9 * hourMs);
				clock.advance(hourMs - 1);
				expect(await store.runs.lease(1, 9 * hourMs)).toEqual([]);
				clock.advance(1);
				expect((await leaseOne(store)).run.id).toBe(id);
			}),
		);

		test(
			'it takes no place of those that wait for a worker, nor for their time',
			use(async store => {
				const bounded = {maxQueued: 4};
				for (let count = 0; count < 2; count += 1) {
					await acceptAwaiting(store, sampleEntry({route: 'a'}, bounded));
				}

				for (let count = 0; count < 2; count += 1) {
					await acceptGrouped(store, groupedEntry(String(count), {route: 'b'}, bounded));
				}

				for (let count = 0; count < 4; count += 1) {
					await acceptRun(store, sampleEntry({route: 'b'}, bounded));
				}

				expect(await store.intake.accept(sampleEntry({route: 'b'}, bounded))).toEqual({
					kind: 'full',
					queued: 4,
					most: 4,
				});
			}),
		);

		test(
			'"half of it for each (profile, route)": a route whose runs await logins takes no more events, and the others do',
			use(async (store, clock) => {
				const bounded = {maxQueued: 4};
				const [first] = [
					await acceptAwaiting(store, sampleEntry({route: 'a'}, bounded)),
					await acceptAwaiting(store, sampleEntry({route: 'a'}, bounded)),
				];
				clock.advance(minuteMs);
				const full = {
					kind: 'full',
					queued: 2,
					most: 2,
					awaitLogins: true,
					freeInMs: hourMs - minuteMs,
				};
				const later = {...bounded, dueAt: startMs + hourMs};
				for (const refused of [
					sampleEntry({route: 'a'}, bounded),
					sampleEntry({route: 'a'}, later),
					groupedEntry('k', {route: 'a'}, bounded),
				]) {
					expect(await store.intake.accept(refused)).toEqual(full);
					expect(await store.journal.get(refused.delivery.id)).toBeUndefined();
				}

				await acceptRun(store, sampleEntry({route: 'a', profile: 'acme'}, bounded));
				await acceptRun(store, sampleEntry({route: 'b'}, bounded));
				await fireRun(store, bounded);
				await store.runs.cancel(first);
				await acceptRun(store, sampleEntry({route: 'a'}, bounded));
			}),
		);

		test(
			'an event that joins a group adds no run, and one that would open the next does',
			use(async (store, clock) => {
				const bounded = {maxQueued: 2};
				const event = () => groupedEntry('k', {route: 'a'}, bounded);
				await acceptGrouped(store, event());
				await acceptAwaiting(store, sampleEntry({route: 'a'}, bounded));
				expect((await acceptGrouped(store, event())).group.count).toBe(2);
				clock.advance(10 * minuteMs);
				expect(await store.intake.accept(event())).toMatchObject({
					kind: 'full',
					awaitLogins: true,
				});
			}),
		);

		test(
			'all of them together: a route with such runs takes no more when as many await logins as may be queued',
			use(async store => {
				const bounded = {maxQueued: 2};
				await acceptAwaiting(store, sampleEntry({route: 'a'}, bounded));
				await acceptAwaiting(store, sampleEntry({route: 'b'}, {maxQueued: 99}));
				expect(await store.intake.accept(sampleEntry({route: 'b'}, {maxQueued: 2}))).toMatchObject({
					kind: 'full',
				});
				await acceptRun(store, sampleEntry({route: 'b'}, {maxQueued: 99}));
			}),
		);
	});
}
