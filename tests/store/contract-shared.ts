import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import type {Approval} from '../../source/core/approval.ts';
import type {Store} from '../../source/store/port.ts';
import {holdLease, type StoreNote} from '../../source/store/shared-port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {sampleKey} from './contract-keys.ts';
import type {Home, Use, UseTwo} from './contract.ts';
import {acceptRun, leaseOne, logPlan, sampleEntry, startMs} from './samples.ts';

const {id: __, ...newCall} = makeToolApproval();

/** A call that waits. */
const ask = async (store: Store): Promise<Approval> => ({
	...newCall,
	id: await store.approvals.add(newCall),
});

/** What several gateways on one store have in common. */
export function describeShared(name: string, use: Use, useTwo: UseTwo): void {
	describe(`${name}: owners`, () => {
		test(
			'opening takes over neither leases nor requests of others; taking over does, once, and leaves alone what is its own',
			use(async (store, clock, home) => {
				const theirs = await acceptRun(store, sampleEntry({}, {plan: logPlan}));
				await leaseOne(store);
				const request = await ask(store);
				const waiting = await acceptRun(store);
				await using copy = await home.crash();
				await using opened = await copy.openBeside(clock);

				expect(await opened.runs.view(theirs)).toMatchObject({state: 'running'});
				expect(await opened.runs.counts()).toEqual({queued: 1, active: 1});
				expect(await opened.approvals.settled({limit: 9})).toEqual([]);
				const lease = await leaseOne(opened);
				expect(lease.run.id).toBe(waiting);
				const own = await ask(opened);
				expect(await opened.runs.nextDue()).toBe(clock.now() + 60_000);

				// Where others may live, they are named that have not been missing for long.
				const taken = await opened.takeOver({owners: [store.owner]});
				expect({...taken, denied: taken.denied.map(({id}) => id)}).toEqual({
					requeued: [theirs],
					interrupted: [],
					uncertain: [],
					denied: [request.id],
				});
				expect((await opened.approvals.settled({limit: 9})).map(({id}) => id)).toEqual([
					request.id,
				]);
				expect(await opened.approvals.get(own.id)).toEqual(own);
				expect(await opened.runs.beat(lease, 1000)).toBe(true);
				expect(await opened.runs.settle(lease, {state: 'done'})).toBe(true);
				const none = {requeued: [], interrupted: [], uncertain: [], denied: []};
				expect(await opened.takeOver({owners: [store.owner]})).toEqual(none);
				expect(await opened.takeOver({owners: [opened.owner]})).toEqual(none);
				expect(await opened.takeOver()).toEqual(none);
				expect(opened.owner).not.toBe(store.owner);
			}),
		);

		test(
			'a store that is closed without taking over counts no lease of others as given back',
			use(async (store, clock, home) => {
				const id = await acceptRun(store);
				let dead: Home = home;
				await using stack = new AsyncDisposableStack();
				for (const _ of [1, 2, 3]) {
					await using open = dead === home ? store : await dead.open(clock);
					await leaseOne(open);
					dead = stack.use(await dead.crash());
					await using beside = await dead.openBeside(clock);
					await beside.memos.put('beside', 'round', 1);
				}

				await using last = await dead.open(clock);
				expect(last.taken.interrupted).toEqual([id]);
			}),
		);
	});

	describe(`${name}: the gateways on the store`, () => {
		test(
			'each sees all, how many runs they have, and what they tell of themselves',
			useTwo(async (store, other) => {
				await store.cluster.describe({version: '1.2.3'});
				const find = async () =>
					(await other.cluster.members()).find(({owner}) => owner === store.owner);
				expect(await find()).toEqual({
					owner: store.owner,
					node: expect.any(String),
					since: startMs,
					seen: startMs,
					leases: 0,
					state: 'live',
					data: {version: '1.2.3'},
				});
				await acceptRun(store);
				await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.settle(await leaseOne(store), {state: 'retry', at: startMs, error: 'x'});
				expect(await find()).toMatchObject({leases: 1});
				await store.runs.settle(lease, {state: 'done'});
				await store.cluster.describe(null);
				expect(await find()).toMatchObject({leases: 0, data: null});
				expect(await other.cluster.members()).toHaveLength(store === other ? 1 : 2);
			}),
		);
	});

	describe(`${name}: named leases`, () => {
		test(
			'one holder at a time, of whichever gateway, until it is released or runs out; names do not share',
			useTwo(async (store, other, clock) => {
				const first = await store.leases('tick').take(1000);
				expect(await other.leases('tick').take(1000)).toBeUndefined();
				expect(await store.leases('tick').take(1000)).toBeUndefined();
				expect(await other.leases('purge').take(1000)).toBeDefined();
				clock.advance(999);
				expect(await first?.beat(1000)).toBe(true);
				clock.advance(999);
				expect(await other.leases('tick').take(1000)).toBeUndefined();
				await first?.release();
				const second = await other.leases('tick').take(1000);
				expect(second).toBeDefined();
				clock.jump(-86_400_000);
				expect(await store.leases('tick').take(1000)).toBeUndefined();
				clock.advance(1000);
				expect(await second?.beat(1000)).toBe(false);
				expect(await store.leases('tick').take(1000)).toBeDefined();
			}),
		);

		test(
			'a lost lease is fenced: a later token is greater, and neither beat nor release of the one before touches it',
			useTwo(async (store, other, clock) => {
				const lost = await store.leases('tick').take(1000);
				clock.advance(1000);
				const next = await other.leases('tick').take(1000);
				expect(next?.token).toBeGreaterThan(lost?.token ?? Infinity);
				expect(await lost?.beat(1000)).toBe(false);
				await lost?.release();
				expect(await store.leases('tick').take(1000)).toBeUndefined();
				expect(await next?.beat(1000)).toBe(true);
				await next?.release();
				const last = await store.leases('tick').take(1000);
				expect(last?.token).toBeGreaterThan(next?.token ?? Infinity);
			}),
		);

		test(
			'who holds a lease keeps it for as long as its work takes',
			useTwo(async (store, other, clock) => {
				{
					await using held = await holdLease(store.leases('tick'), clock);
					expect(held).toBeDefined();
					const planned = clock.timersLeft;
					for (const _ of [1, 2, 3, 4, 5, 6, 7]) {
						clock.advance(10_000);
						// The next beat is planned once this one is written.
						await vi.waitFor(
							() => {
								expect(clock.timersLeft).toBe(planned);
							},
							{interval: 1},
						);
					}

					expect(await holdLease(other.leases('tick'), clock)).toBeUndefined();
				}

				await using next = await holdLease(other.leases('tick'), clock);
				expect(next).toBeDefined();
			}),
		);
	});

	describe(`${name}: notes`, () => {
		test(
			'what is written at one gateway is told at each, once it is on disk, until it listens no more',
			useTwo(async (store, other) => {
				const told: StoreNote[] = [];
				const here: StoreNote[] = [];
				// That runs were queued is told only where it helps, and how often is the adapter's own affair.
				const into = (list: StoreNote[]) => (note: StoreNote) => {
					if (note.kind !== 'runs-queued') {
						list.push(note);
					}
				};
				const stop = other.events.subscribe(into(told));
				store.events.subscribe(into(here));
				const run = await acceptRun(store);
				await store.runs.cancel(run);
				await store.runs.cancel(run);
				await store.runs.retry(run);
				const key = sampleKey();
				await store.keys.put(key, startMs);
				const notes: readonly StoreNote[] = [
					{kind: 'run-cancelled', run},
					{kind: 'runs-released'},
					{kind: 'keys-changed', keys: [key.id]},
				];
				await expect.poll(() => [told, here]).toEqual([notes, notes]);
				stop();
				store.events.publish({kind: 'runs-released'});
				await turn();
				expect(told).toEqual(notes);
				expect(here).toEqual([...notes, {kind: 'runs-released'}]);
			}),
		);
	});
}
