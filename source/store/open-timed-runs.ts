import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {integerOf, textOf, type Row} from './columns.ts';
import {longestPauseMs} from './rules.ts';
import {createTimedRuns, type TimedRuns} from './timed-runs.ts';

/**
 * The waiting runs on disk whose time lies ahead, on the clocks of this opening. The clock may have been set back since they were written: a promised start lies no
 * further ahead than it did when it was promised, another try at most an hour, and what was to start at once does.
 */
export function openTimedRuns(database: DatabaseSync, clock: Clock): TimedRuns {
	const [now, monotonic] = [clock.now(), clock.monotonic()];
	const rows = database
		.prepare(
			`select id, profile, route, attempt + delivery_attempt as tries, created_at, due_at
			from run indexed by run_waiting where due_at > ?`,
		)
		.all(now)
		.map(row => ({row, id: integerOf(row['id']), waitMs: waitOf(row, now)}));
	const moved = rows.filter(({row, waitMs}) => integerOf(row['due_at']) !== now + waitMs);
	if (moved.length > 0) {
		const move = database.prepare(
			'update run set created_at = min(created_at, ?1), due_at = ?1 + ?2 where id = ?3',
		);
		database.exec('begin immediate');
		for (const {id, waitMs} of moved) {
			move.run(now, waitMs, id);
		}

		database.exec('commit');
	}

	return createTimedRuns(clock, {
		offset: now - monotonic,
		runs: rows
			.filter(({waitMs}) => waitMs > 0)
			.map(({row, id, waitMs}) => ({
				id,
				profile: textOf(row['profile']),
				route: textOf(row['route']),
				at: monotonic + waitMs,
				isPromised: integerOf(row['tries']) === 0,
			})),
	});
}

function waitOf(row: Row, now: number): number {
	const [createdAt, dueAt] = [integerOf(row['created_at']), integerOf(row['due_at'])];
	const waitMs = dueAt - now;
	return integerOf(row['tries']) === 0
		? Math.min(waitMs, Math.max(0, dueAt - createdAt))
		: Math.min(waitMs, longestPauseMs);
}
