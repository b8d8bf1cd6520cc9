import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {stepGroup, type Group, type GroupReason, type GroupWindow} from '../core/group.ts';
import {groupOf} from './group-rows.ts';
import type {GroupKey, PendingGroup, PendingGroups} from './pending-groups.ts';
import type {NewRun} from './run-queue.ts';
import type {SteadyClock} from './steady-clock.ts';

/** An event that is to wait in the group of its key. */
export type GroupedEvent = GroupKey &
	Pick<PendingGroup, 'event' | 'latest' | 'target'> & {readonly window: GroupWindow};

/** What an event is about to do. */
type Joining = {
	/** It opens a group. */
	readonly opens: boolean;
	/** It does, and no other makes room for it. */
	readonly takesPlace: boolean;
	/** Does it. The group that the event waits in, and the one that was over and made room for it. */
	perform(): {readonly group: Group; readonly dispatched?: Group};
};

export type GroupSteps = {
	/** What the event would do now. Inside the transaction in which it is performed. */
	join(event: GroupedEvent): Joining;
	/** Turns a group into a queued run. Inside a transaction. */
	dispatch(group: PendingGroup, reason: GroupReason): Group;
};

/** What happens to groups, on disk and in memory. The queue goes by the wall clock `clock`, as for every run. */
export function createGroupSteps({
	database,
	pending,
	enqueue,
	steady,
	clock,
}: {
	readonly database: DatabaseSync;
	readonly pending: PendingGroups;
	readonly enqueue: (run: NewRun) => number;
	readonly steady: SteadyClock;
	readonly clock: Pick<Clock, 'now'>;
}): GroupSteps {
	const insert = database.prepare(
		`insert into coalesce_group (profile, route, key, first_at, last_at, quiet_at, cap_at, count, latest, target)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const update = database.prepare(
		'update coalesce_group set last_at = ?, quiet_at = ?, cap_at = ?, count = ?, latest = ?, target = ? where id = ?',
	);
	const end = database.prepare(
		'update coalesce_group set dispatched_at = ?, reason = ?, run = ? where id = ?',
	);

	const dispatch = (group: PendingGroup, reason: GroupReason): Group => {
		const {id, profile, route, target, latest} = group;
		const at = clock.now();
		const runId = enqueue({
			delivery: latest,
			profile,
			route,
			target,
			createdAt: at,
			dueAt: at,
			group: {id, superseded: group.count - 1},
		});
		const dispatchedAt = steady.time(group.offset);
		end.run(dispatchedAt, reason, runId, id);
		pending.remove(group);
		return groupOf(group, {dispatchedAt, reason, runId});
	};

	const rewrite = (group: PendingGroup) => {
		const {id, lastAt, quietAt, capAt, count, latest, target} = group;
		update.run(lastAt, quietAt, capAt, count, latest, target, id);
		pending.put(group);
		return group;
	};

	const open = (group: Omit<PendingGroup, 'id'>) => {
		const {profile, route, key, firstAt, lastAt, quietAt, capAt, count, latest, target} = group;
		const times = [firstAt, lastAt, quietAt, capAt, count];
		const {lastInsertRowid} = insert.run(profile, route, key, ...times, latest, target);
		const opened = {...group, id: Number(lastInsertRowid)};
		pending.put(opened);
		return opened;
	};

	return {
		join({window, ...event}) {
			const known = pending.ofKey(event);
			const windows = wholeOf(window);
			const step = known && stepGroup(known, windows, steady.time(known.offset));
			if (known && step?.kind === 'join') {
				const joined = {...known, ...event, ...step.next};
				return {
					opens: false,
					takesPlace: false,
					perform: () => ({group: groupOf(rewrite(joined))}),
				};
			}

			const ended = step?.kind === 'open' ? step.ended : undefined;
			const offset = steady.offset();
			const {next} = stepGroup(undefined, windows, steady.time(offset));
			return {
				opens: true,
				takesPlace: ended === undefined,
				perform() {
					const dispatched = known && ended && dispatch(known, ended);
					const group = groupOf(open({...event, ...next, offset}));
					return {group, ...(dispatched && {dispatched})};
				},
			};
		},
		dispatch,
	};
}

/** Fractions of a millisecond are rounded up. */
export const wholeOf = ({windowMs, maxWaitMs}: GroupWindow): GroupWindow => ({
	windowMs: Math.ceil(windowMs),
	maxWaitMs: Math.ceil(maxWaitMs),
});
