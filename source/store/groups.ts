import type {DatabaseSync} from 'node:sqlite';
import {dueOf, type Group} from '../core/group.ts';
import {subjectColumn} from './delivery-rows.ts';
import type {Groups} from './group-port.ts';
import {
	groupColumns,
	groupOfRow,
	groupTables,
	maxListed,
	maxMembers,
	memberOf,
} from './group-rows.ts';
import type {GroupSteps} from './group-steps.ts';
import {pageOf} from './newest-first.ts';
import type {StoreParts} from './parts.ts';
import type {PendingGroups} from './pending-groups.ts';
import type {SteadyClock} from './steady-clock.ts';

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
