import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createBusy} from '../../../source/core/clock.ts';
import {SvcError} from '../../../source/core/errors.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {dueOf, type Group, type GroupReason} from '../../../source/core/group.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createLiveGroups} from '../../../source/gateway/jobs/live-groups.ts';
import type {Groups} from '../../../source/store/group-port.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {advanceUntil} from '../../helpers/gateway.ts';
import {makeGroup} from '../../helpers/make.ts';

/** Live groups on a journal that is a map, and that fails as often as `failures` says. */
function openGroups({
	failures = 0,
	unanswered = 0,
	waiting = [],
	most = Infinity,
	gate = Promise.resolve(),
}: {
	failures?: number;
	/** Questions that the journal does not answer. */
	unanswered?: number;
	waiting?: Group[];
	/** Groups that one call dispatches before the journal fails. */
	most?: number;
	/** What each look at due groups waits for. */
	gate?: Promise<void>;
} = {}) {
	const clock = createFakeClock();
	const pending = new Map(waiting.map(group => [group.id, group]));
	const events: GatewayEvent[] = [];
	const dispatched: number[] = [];
	const log: string[] = [];
	let left = failures;
	let deaf = unanswered;
	let timers = 0;
	let looks = 0;

	const failIfBroken = () => {
		if (deaf > 0) {
			deaf--;
			throw new Error('the database does not answer');
		}
	};

	const take = (ids: readonly number[], reasonOf: (group: Group) => GroupReason) => {
		if (left > 0) {
			left--;
			throw new SvcError('journal_unavailable', 'Cannot write: the disk is full');
		}

		return ids.flatMap((id): readonly Group[] => {
			const group = pending.get(id);
			pending.delete(id);
			return group ? [{...group, state: 'dispatched', reason: reasonOf(group), runId: id}] : [];
		});
	};

	const due = () => [...pending.values()].filter(group => dueOf(group).at <= clock.now());
	const groups: Groups = {
		async nextDueMs() {
			failIfBroken();
			const times = [...pending.values()].map(group => dueOf(group).at);
			return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - clock.now());
		},
		async dispatchDue() {
			looks++;
			await gate;
			return take(
				due()
					.slice(0, 100)
					.map(({id}) => id),
				group => dueOf(group).reason,
			);
		},
		dispatch: async (which, reason) =>
			take(which === 'all' ? [...pending.keys()].slice(0, most) : [which.id], () => reason),
		get: async () => undefined,
		list: async () => [],
		pending: async () => pending.size,
	};
	const busy = createBusy();
	const live = createLiveGroups({
		clock: {
			...clock,
			after(delayMs, callback) {
				timers++;
				return clock.after(delayMs, callback);
			},
		},
		groups,
		busy,
		emit: event => {
			events.push(event);
		},
		log: {...silentLogger, error: line => log.push(line)},
		onDispatched: ({id}) => {
			dispatched.push(id);
		},
	});
	return {
		clock,
		live,
		busy,
		events,
		dispatched,
		log,
		pending,
		timers: () => timers,
		looks: () => looks,
		/** An event of a group: it waits ten seconds more, a minute in all. */
		join: (id: number) => {
			const known = pending.get(id);
			const group = makeGroup({
				...known,
				id,
				quietAt: clock.now() + 10_000,
				capAt: known?.capAt ?? clock.now() + 60_000,
				count: (known?.count ?? 0) + 1,
			});
			pending.set(id, group);
			live.changed(group);
		},
	};
}

const settleDown = async () => {
	for (let count = 0; count < 10; count++) {
		await turn();
	}
};

test('a group is dispatched at the moment that it is due, and everybody hears of it', async () => {
	const {clock, join, dispatched, events} = openGroups();
	join(1);
	clock.advance(9999);
	await settleDown();
	expect(dispatched).toEqual([]);
	clock.advance(1);
	await settleDown();
	expect(dispatched).toEqual([1]);
	expect(events).toMatchObject([
		{type: 'group-changed', group: {state: 'pending'}},
		{type: 'group-changed', group: {state: 'dispatched', reason: 'quiet'}},
	]);
});

test('a thousand events of one group need a few timers, not a thousand', async () => {
	const {clock, join, dispatched, timers} = openGroups();
	for (let count = 0; count < 1000; count++) {
		join(1);
		clock.advance(10);
	}

	clock.advance(10_000);
	await settleDown();
	expect(dispatched).toEqual([1]);
	expect(timers()).toBeLessThan(10);
});

test('a shorter window that comes later is due earlier', async () => {
	const {clock, pending, live, join, dispatched} = openGroups();
	join(1);
	const hasty = makeGroup({id: 2, quietAt: 2000, capAt: 3000});
	pending.set(2, hasty);
	live.changed(hasty);
	clock.advance(2000);
	await settleDown();
	expect(dispatched).toEqual([2]);
});

test('groups whose time was over before the start are dispatched without waiting for a timer, however many', async () => {
	const waiting = Array.from({length: 250}, (_, id) => makeGroup({id, quietAt: 0, capAt: 0}));
	const {busy, dispatched} = openGroups({waiting});
	await busy.idle();
	expect(dispatched).toHaveLength(250);
});

test('a journal that fails is asked again after a second: nothing is lost', async () => {
	const {clock, join, dispatched, log} = openGroups({failures: 2});
	join(1);
	clock.advance(10_000);
	await settleDown();
	expect(log).toEqual(['Cannot dispatch groups of events, trying again']);
	clock.advance(1000);
	await settleDown();
	expect(dispatched).toEqual([]);
	clock.advance(1000);
	await settleDown();
	expect(dispatched).toEqual([1]);
});

test('a journal that does not say what is due is asked again after a second', async () => {
	const waiting = [makeGroup({id: 1, quietAt: 0, capAt: 0})];
	const {clock, busy, dispatched, log} = openGroups({unanswered: 1, waiting});
	await busy.idle();
	expect(log).toEqual(['Cannot dispatch groups of events, trying again']);
	expect(dispatched).toEqual([]);
	clock.advance(1000);
	await busy.idle();
	expect(dispatched).toEqual([1]);
});

test('a change while the journal is asked what is due is not missed', async () => {
	const {clock, join, dispatched} = openGroups();
	join(1);
	join(2);
	await settleDown();
	clock.advance(10_000);
	await settleDown();
	expect(dispatched).toEqual([1, 2]);
});

test('the flush tries three times, then leaves the groups to the next start', async () => {
	const stubborn = openGroups({failures: 9});
	stubborn.join(1);
	await advanceUntil(stubborn.live.flush(), stubborn.clock);
	expect(stubborn.dispatched).toEqual([]);
	expect(stubborn.log.at(-1)).toContain('they run after the next start');

	const hesitant = openGroups({failures: 2});
	hesitant.join(1);
	hesitant.join(2);
	await advanceUntil(hesitant.live.flush(), hesitant.clock);
	expect(hesitant.dispatched).toEqual([1, 2]);
	expect(hesitant.events.at(-1)).toMatchObject({group: {reason: 'stop'}});
});

test('the flush reports what was dispatched before the journal failed, and goes on', async () => {
	const {live, join, clock, dispatched, events} = openGroups({most: 2});
	for (let id = 1; id <= 5; id++) {
		join(id);
	}

	await advanceUntil(live.flush(), clock);
	expect(dispatched).toEqual([1, 2, 3, 4, 5]);
	expect(events.filter(({type}) => type === 'group-changed')).toHaveLength(10);
});

test('a person dispatches one group; a failure is told', async () => {
	const {live, join, dispatched} = openGroups({failures: 1});
	join(1);
	join(2);
	await expect(live.dispatch(2)).rejects.toMatchObject({code: 'journal_unavailable'});
	expect(await live.dispatch(2)).toBe(true);
	expect(await live.dispatch(2)).toBe(false);
	expect(dispatched).toEqual([2]);
});

test('after the end no timer fires', async () => {
	const {clock, live, join, dispatched} = openGroups();
	join(1);
	await live[Symbol.asyncDispose]();
	join(2);
	clock.advance(60_000);
	await settleDown();
	expect(dispatched).toEqual([]);
});

test('what is due sooner than anything before plans nothing after the end', async () => {
	const {clock, live, pending, join, dispatched} = openGroups();
	join(1);
	await live[Symbol.asyncDispose]();
	const hasty = makeGroup({id: 2, quietAt: 100, capAt: 100});
	pending.set(2, hasty);
	live.changed(hasty);
	clock.advance(60_000);
	await settleDown();
	expect(dispatched).toEqual([]);
});

test('one look at a time: what changes meanwhile is looked at afterwards', async () => {
	const gate = Promise.withResolvers<void>();
	const waiting = [makeGroup({id: 1, quietAt: 0, capAt: 0})];
	const {busy, pending, live, looks, dispatched} = openGroups({gate: gate.promise, waiting});
	for (const id of [2, 3]) {
		const group = makeGroup({id, quietAt: 0, capAt: 0});
		pending.set(id, group);
		live.changed(group);
	}

	await settleDown();
	expect(looks()).toBe(1);
	gate.resolve();
	await busy.idle();
	expect(dispatched).toEqual([1, 2, 3]);
	expect(looks()).toBe(1);
});

test('the end waits for the look that is under way, which plans no other', async () => {
	const gate = Promise.withResolvers<void>();
	const waiting = [makeGroup({id: 1, quietAt: 0, capAt: 0})];
	const {live, join, timers, dispatched} = openGroups({gate: gate.promise, waiting});
	await settleDown();
	let hasEnded = false;
	const ending = (async () => {
		await live[Symbol.asyncDispose]();
		hasEnded = true;
	})();
	join(2);
	await settleDown();
	expect(hasEnded).toBe(false);
	gate.resolve();
	await ending;
	await settleDown();
	expect(dispatched).toEqual([1]);
	expect(timers()).toBe(0);
});
