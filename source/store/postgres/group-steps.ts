import {integerOf} from '../columns.ts';
import {groupColumns, type GroupEnd, groupTables, waitingGroupOf} from '../group-rows.ts';
import {nameOfGroup, type GroupKey, type WaitingGroup} from '../pending-groups.ts';
import {columnsOf} from './ask.ts';
import type {Transaction} from './database.ts';

/** The pending groups of these keys, at most one each. */
export async function readPendingGroups(
	{query}: Transaction,
	keys: readonly GroupKey[],
): Promise<readonly WaitingGroup[]> {
	if (keys.length === 0) {
		return [];
	}

	const names = [...new Map(keys.map(key => [nameOfGroup(key), key])).values()];
	const rows = await query(
		`select ${groupColumns} from ${groupTables} join unnest($1::text[], $2::text[], $3::text[]) as wanted (p, r, k)
			on coalesce_group.profile = p and coalesce_group.route = r and coalesce_group.key = k
		where coalesce_group.run is null`,
		columnsOf(names, 'profile', 'route', 'key'),
	);
	return rows.map(waitingGroupOf);
}

/** Numbers for `count` new groups, in order. */
export async function takeGroupNumbers(
	{query}: Transaction,
	count: number,
): Promise<readonly number[]> {
	const rows =
		count === 0
			? []
			: await query("select nextval('coalesce_group_id_seq') as id from generate_series(1, $1)", [
					count,
				]);
	return rows.map(row => integerOf(row['id'])).toSorted((a, b) => a - b);
}

/** Writes old and new groups in one statement; of one key, only the last may be pending. */
export async function writeGroups(
	{run}: Transaction,
	groups: ReadonlyArray<WaitingGroup & {readonly end: GroupEnd | undefined}>,
): Promise<void> {
	if (groups.length === 0) {
		return;
	}

	await run(
		`insert into coalesce_group (id, profile, route, key, first_at, last_at, quiet_at, cap_at, count, latest, target, dispatched_at, reason, run)
		select * from unnest(
			$1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::integer[], $10::bigint[], $11::text[], $12::bigint[], $13::text[], $14::bigint[]
		)
		on conflict (id) do update set last_at = excluded.last_at, quiet_at = excluded.quiet_at, cap_at = excluded.cap_at, count = excluded.count, latest = excluded.latest,
			target = excluded.target, dispatched_at = excluded.dispatched_at, reason = excluded.reason, run = excluded.run`,
		columnsOf(
			groups.map(({end, ...group}) => ({...group, ...end})),
			'id',
			'profile',
			'route',
			'key',
			'firstAt',
			'lastAt',
			'quietAt',
			'capAt',
			'count',
			'latest',
			'target',
			'dispatchedAt',
			'reason',
			'runId',
		),
	);
}
