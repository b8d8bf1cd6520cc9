import {describe, expect, test} from 'vitest';
import type {Approval} from '../../source/core/approval.ts';
import type {Store} from '../../source/store/port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import type {Home, Use} from './contract.ts';
import {acceptRun, leaseOne, logPlan, sampleEntry} from './samples.ts';

const {id: __, ...newCall} = makeToolApproval();

/** A call that waits. */
const ask = async (store: Store): Promise<Approval> => ({
	...newCall,
	id: await store.approvals.add(newCall),
});

/** What several gateways on one store have in common. */
export function describeShared(name: string, use: Use): void {
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
				expect(await opened.approvals.settled(9)).toEqual([]);
				const lease = await leaseOne(opened);
				expect(lease.run.id).toBe(waiting);
				const own = await ask(opened);
				expect(await opened.runs.nextDue()).toBe(clock.now() + 60_000);

				const taken = await opened.takeOver();
				expect({...taken, denied: taken.denied.map(({id}) => id)}).toEqual({
					requeued: [theirs],
					interrupted: [],
					uncertain: [],
					denied: [request.id],
				});
				expect((await opened.approvals.settled(9)).map(({id}) => id)).toEqual([request.id]);
				expect(await opened.approvals.get(own.id)).toEqual(own);
				expect(await opened.runs.beat(lease, 1000)).toBe(true);
				expect(await opened.runs.settle(lease, {state: 'done'})).toBe(true);
				const none = {requeued: [], interrupted: [], uncertain: [], denied: []};
				expect(await opened.takeOver()).toEqual(none);
				expect(await opened.takeOver({owners: [opened.owner]})).toEqual(none);
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
}
