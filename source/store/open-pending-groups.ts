import type {DatabaseSync} from 'node:sqlite';
import {groupColumns, groupTables, waitingGroupOf} from './group-rows.ts';
import {createPendingGroups, type PendingGroups, type WaitingGroup} from './pending-groups.ts';
import type {SteadyClock} from './steady-clock.ts';

/**
 * The groups that wait on disk, on the clock of this opening: a group that had an event later than now was written under a clock that has been set back, and its times go
 * back with it, so that nobody waits longer than its cap.
 */
export function openPendingGroups(database: DatabaseSync, steady: SteadyClock): PendingGroups {
	const offset = steady.offset();
	const now = steady.time(offset);
	const pendingOf = (waiting: readonly WaitingGroup[]) =>
		createPendingGroups(waiting.map(group => ({...group, offset})));
	const groups = database
		.prepare(
			`select ${groupColumns} from ${groupTables} where coalesce_group.run is null order by coalesce_group.id`,
		)
		.all()
		.map(waitingGroupOf);
	const ahead = groups.filter(({lastAt}) => lastAt > now);
	if (ahead.length === 0) {
		return pendingOf(groups);
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
	return pendingOf(moved);
}

const movedBack = (group: WaitingGroup, byMs: number): WaitingGroup => ({
	...group,
	firstAt: group.firstAt - byMs,
	lastAt: group.lastAt - byMs,
	quietAt: group.quietAt - byMs,
	capAt: group.capAt - byMs,
});
