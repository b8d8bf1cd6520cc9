import {dueOf, type Group, type GroupReason} from '../../core/group.ts';
import {createMutex} from '../../core/mutex.ts';
import {integerOf, nullableInteger} from '../columns.ts';
import type {Groups} from '../group-port.ts';
import {groupColumns, groupOf, groupTables, runOfGroup, waitingGroupOf} from '../group-rows.ts';
import {createGroupReader, dispatchSlices, groupSlice} from '../groups.ts';
import type {WaitingGroup} from '../pending-groups.ts';
import type {SqlValue, Transaction} from './database.ts';
import {enqueue} from './enqueue.ts';
import {writeGroups} from './group-steps.ts';
import type {PostgresParts} from './parts.ts';

/** Turns groups into queued runs, in order. Call it within a transaction that holds the lock `accept` and read the groups. */
async function dispatchAll(
	transaction: Transaction,
	groups: readonly WaitingGroup[],
	reasonOf: (group: WaitingGroup) => GroupReason,
): Promise<readonly Group[]> {
	const {now} = transaction;
	const runs = await enqueue(
		transaction,
		groups.map(group => runOfGroup(group, now)),
	);
	const dispatched = groups.map((group, index) => ({
		...group,
		end: {dispatchedAt: now, reason: reasonOf(group), runId: runs[index] ?? 0},
	}));
	await writeGroups(transaction, dispatched);
	return dispatched.map(group => groupOf(group, group.end));
}

/** `Groups` on PostgreSQL. */
export function createGroups({database, queued}: PostgresParts): Groups {
	const dispatch = async (
		condition: string,
		values: (now: number) => readonly SqlValue[],
		reasonOf: (group: WaitingGroup) => GroupReason,
	) => {
		const dispatched = await database.transact(async transaction => {
			const rows = await transaction.query(
				`select ${groupColumns} from ${groupTables} where coalesce_group.run is null and ${condition} limit ${groupSlice}`,
				values(transaction.now),
			);
			return rows.length === 0 ? [] : dispatchAll(transaction, rows.map(waitingGroupOf), reasonOf);
		}, 'accept');
		if (dispatched.length > 0) {
			queued.tell();
		}

		return dispatched;
	};

	/** Serialises dispatches in the order of the calls. */
	const inTurn = createMutex();

	const waitingIds = async () =>
		(await database.query('select id from coalesce_group where run is null order by id')).map(row =>
			integerOf(row['id']),
		);

	const nextDueMs = async () => {
		const [row] = await database.query(
			'select min(least(quiet_at, cap_at)) as due_at from coalesce_group where run is null',
		);
		const dueAt = nullableInteger(row?.['due_at']);
		return dueAt === null ? undefined : Math.max(0, dueAt - database.now());
	};

	return {
		nextDueMs,
		dispatchDue: async () =>
			inTurn(async () =>
				// The lock is taken only when a group is due.
				(await nextDueMs()) === 0
					? dispatch(
							'least(quiet_at, cap_at) <= $1 order by least(quiet_at, cap_at), coalesce_group.id',
							now => [now],
							group => dueOf(group).reason,
						)
					: [],
			),
		dispatch: async (which, reason) =>
			inTurn(async () =>
				dispatchSlices(which === 'all' ? await waitingIds() : [which.id], async ids =>
					dispatch(
						'coalesce_group.id = any($1::bigint[]) order by coalesce_group.id',
						() => [ids],
						() => reason,
					),
				),
			),
		...createGroupReader(database),
		async pending() {
			const [row] = await database.query(
				'select count(*) as waiting from coalesce_group where run is null',
			);
			return integerOf(row?.['waiting']);
		},
	};
}
