import type {DatabaseSync} from 'node:sqlite';
import {groupColumns, groupTables, pendingGroupOf} from './group-rows.ts';
import {createPendingGroups, type PendingGroup, type PendingGroups} from './pending-groups.ts';

/**
 * The groups that wait on disk. `now` is the clock of this opening, milliseconds since 1970: a group that had an event later than that was written under a clock that has
 * been set back, and its times go back with it, so that nobody waits longer than its cap.
 */
export function openPendingGroups(database: DatabaseSync, now: number): PendingGroups {
	const groups = database
		.prepare(
			`select ${groupColumns} from ${groupTables} where coalesce_group.run is null order by coalesce_group.id`,
		)
		.all()
		.map(pendingGroupOf);
	const ahead = groups.filter(({lastAt}) => lastAt > now);
	if (ahead.length === 0) {
		return createPendingGroups(groups);
	}

	const move = database.prepare(
		'update coalesce_group set first_at = ?, last_at = ?, quiet_at = ?, cap_at = ? where id = ?',
	);
	database.exec('begin immediate');
	const moved = groups.map(group => {
		const next = movedBack(group, Math.max(0, group.lastAt - now));
		move.run(next.firstAt, next.lastAt, next.quietAt, next.capAt, next.id);
		return next;
	});
	database.exec('commit');
	return createPendingGroups(moved);
}

const movedBack = (group: PendingGroup, byMs: number): PendingGroup => ({
	...group,
	firstAt: group.firstAt - byMs,
	lastAt: group.lastAt - byMs,
	quietAt: group.quietAt - byMs,
	capAt: group.capAt - byMs,
});
