import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {integerOf, nullableText, readJson, textOf, type Row} from './columns.ts';
import {createCounters} from './counters.ts';
import {createSteadyClock, type SteadyClock} from './due-queue.ts';
import {groupColumns, groupTables, waitingGroupOf} from './group-rows.ts';
import type {StoreParts} from './parts.ts';
import {createPendingGroups, type PendingGroups, type WaitingGroup} from './pending-groups.ts';
import {maxPauseMs} from './rules.ts';
import {findLeft, type Left} from './take-over.ts';
import {createTimedRuns, type TimedRun, type TimedRuns} from './waiting-runs.ts';

/** State of the store that this process keeps in memory. */
export type OpenedMemory = Pick<StoreParts, 'counters' | 'pending' | 'timed'> & {
	/** What earlier processes left unfinished. */
	readonly left: Left;
};

/**
 * Reads the state that every accepted event needs into memory, in one transaction. Converts times to the clocks of this process: the wall clock may have been set back
 * since they were written. Leases and requests of others are unchanged.
 */
export function readMemory(database: DatabaseSync, clock: Clock): OpenedMemory {
	database.exec('begin immediate');
	const memory = {
		counters: createCounters(database),
		pending: readPendingGroups(database, createSteadyClock(clock)),
		timed: readTimedRuns(database, clock),
		left: findLeft(database, clock.now()),
	};
	pullIdentifiers(database, clock.now());
	database.exec('commit');
	return memory;
}

/**
 * Reads pending groups. If a group has an event in the future, the clock has been set back since; its times are shifted back accordingly, so that no group waits longer
 * than its cap.
 */
function readPendingGroups(database: DatabaseSync, steady: SteadyClock): PendingGroups {
	const offset = steady.offset();
	const now = steady.time(offset);
	const move = database.prepare(
		'update coalesce_group set first_at = ?, last_at = ?, quiet_at = ?, cap_at = ? where id = ?',
	);
	const waiting = database
		.prepare(
			`select ${groupColumns} from ${groupTables} where coalesce_group.run is null order by coalesce_group.id`,
		)
		.all()
		.map(waitingGroupOf);
	return createPendingGroups(
		waiting.map(group => {
			const byMs = Math.max(0, group.lastAt - now);
			const moved = movedBack(group, byMs);
			if (byMs > 0) {
				move.run(moved.firstAt, moved.lastAt, moved.quietAt, moved.capAt, moved.id);
			}

			return {...moved, offset};
		}),
	);
}

const movedBack = (group: WaitingGroup, byMs: number): WaitingGroup => ({
	...group,
	firstAt: group.firstAt - byMs,
	lastAt: group.lastAt - byMs,
	quietAt: group.quietAt - byMs,
	capAt: group.capAt - byMs,
});

/**
 * Reads runs that wait for a future time. If the clock was set back, a promised start is no further ahead than when promised, a retry at most an hour, a wait for logins
 * ends no later than planned, and runs without a wait start at once.
 */
function readTimedRuns(database: DatabaseSync, clock: Clock): TimedRuns {
	const [now, monotonic] = [clock.now(), clock.monotonic()];
	const move = database.prepare(
		'update run set created_at = min(created_at, ?1), due_at = ?1 + ?2 where id = ?3',
	);
	const rows = database
		.prepare(
			`select id, profile, route, state, attempt + delivery_attempt as tries, created_at, due_at, awaits_logins, login_wait
			from run indexed by run_waiting where due_at > ?`,
		)
		.all(now)
		.map(row => ({row, id: integerOf(row['id']), waitMs: waitOf(row, now)}));
	for (const {row, id, waitMs} of rows) {
		if (integerOf(row['due_at']) !== now + waitMs) {
			move.run(now, waitMs, id);
		}
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
				...kindOf(row),
			})),
	});
}

function kindOf(row: Row): Pick<TimedRun, 'isPromised' | 'isRetry' | 'awaitsLogins'> {
	const names = nullableText(row['awaits_logins']);
	const isPromised = integerOf(row['tries']) === 0;
	return names === null
		? {isPromised, isRetry: !isPromised && row['state'] === 'queued'}
		: {isPromised: false, awaitsLogins: readJson<readonly string[]>(names) ?? []};
}

function waitOf(row: Row, now: number): number {
	const [createdAt, dueAt] = [integerOf(row['created_at']), integerOf(row['due_at'])];
	const waitMs = dueAt - now;
	if (row['awaits_logins'] !== null) {
		return Math.min(waitMs, integerOf(row['login_wait']));
	}

	return integerOf(row['tries']) === 0
		? Math.min(waitMs, Math.max(0, dueAt - createdAt))
		: Math.min(waitMs, maxPauseMs);
}

/** Identifiers claimed in the future count as claimed now. */
function pullIdentifiers(database: DatabaseSync, now: number): void {
	for (const table of ['claim', 'fresh_claim']) {
		database.prepare(`update ${table} set at = ?1 where at > ?1`).run(now);
	}

	database
		.prepare(
			'update run set claimed_at = ?1 where id > (select run_claim_floor from usage) and claimed_at > ?1',
		)
		.run(now);
}
