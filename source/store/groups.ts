import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {dueOf, type Group, stepGroup, type GroupReason, type GroupWindow} from '../core/group.ts';
import {pageOf} from './columns.ts';
import {subjectColumn} from './delivery-rows.ts';
import type {SteadyClock} from './due-queue.ts';
import type {Groups} from './group-port.ts';
import {
	groupColumns,
	groupOfRow,
	groupTables,
	maxListed,
	maxMembers,
	memberOf,
	groupOf,
} from './group-rows.ts';
import type {StoreParts} from './parts.ts';
import type {PendingGroups, GroupKey, PendingGroup} from './pending-groups.ts';
import type {NewRun} from './run-queue.ts';

/** Groups that one transaction dispatches, so that it never holds the event loop for long. */
const slice = 100;

/** `Groups` on SQLite. */
export function createGroups({
	database,
	commit,
	pending,
	steps,
	steady,
}: Pick<StoreParts, 'commit' | 'database'> & {
	readonly pending: PendingGroups;
	readonly steps: GroupSteps;
	readonly steady: SteadyClock;
}): Groups {
	const nextDueMs = () => {
		const first = pending.first();
		return first && Math.max(0, dueOf(first).at - steady.time(first.offset));
	};

	const firstDue = () => (nextDueMs() === 0 ? pending.first() : undefined);

	const dispatchSome = (ids: readonly number[], reason: Parameters<GroupSteps['dispatch']>[1]) =>
		ids.flatMap(id => {
			const group = pending.get(id);
			return group ? [steps.dispatch(group, reason)] : [];
		});

	return {
		nextDueMs: async () => nextDueMs(),
		async dispatchDue() {
			if (!firstDue()) {
				return [];
			}

			return commit.write(() => {
				const dispatched: Group[] = [];
				for (let group = firstDue(); group && dispatched.length < slice; group = firstDue()) {
					dispatched.push(steps.dispatch(group, dueOf(group).reason));
				}

				return dispatched;
			});
		},
		async dispatch(which, reason) {
			const ids = which === 'all' ? pending.ids() : [which.id];
			const dispatched: Group[] = [];
			for (let from = 0; from < ids.length; from += slice) {
				const some = ids.slice(from, from + slice);
				try {
					// oxlint-disable-next-line no-await-in-loop -- slices follow each other; other writes come between them
					dispatched.push(...(await commit.write(() => dispatchSome(some, reason))));
				} catch (error) {
					if (dispatched.length === 0) {
						throw error;
					}

					break;
				}
			}

			return dispatched;
		},
		...createGroupReader(database),
		pending: async () => pending.count(),
	};
}

/** Reads groups; needs no write access. */
export function createGroupReader(database: DatabaseSync): Pick<Groups, 'get' | 'list'> {
	const one = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.id = ?`,
	);
	const members = database.prepare(
		`select id, delivery_id, event, ${subjectColumn} as subject, received_at from delivery where run = ? and run < 0 order by id desc limit ${maxMembers}`,
	);
	const pending = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.run is null and coalesce_group.profile = coalesce(?, coalesce_group.profile) order by min(quiet_at, cap_at), coalesce_group.id limit ?`,
	);
	const dispatched = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.run is not null and coalesce_group.profile = coalesce(?, coalesce_group.profile) order by coalesce_group.run desc limit ?`,
	);

	return {
		async get(id) {
			const row = one.get(id);
			return row && {...groupOfRow(row), members: members.all(-id).toReversed().map(memberOf)};
		},
		async list({state, profile = null, limit}) {
			const most = pageOf(limit, maxListed);
			const waiting = state === 'dispatched' ? [] : pending.all(profile, most).map(groupOfRow);
			const room = state === 'pending' ? 0 : most - waiting.length;
			return [...waiting, ...dispatched.all(profile, room).map(groupOfRow)];
		},
	};
}

/** An event that is to wait in the group of its key. */
type GroupedEvent = GroupKey &
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
