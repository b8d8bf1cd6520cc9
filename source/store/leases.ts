import type {Clock} from '../core/clock.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row} from './columns.ts';
import {routeOf} from './counters.ts';
import type {Lanes} from './lanes.ts';
import type {StoreParts} from './parts.ts';
import type {Lease} from './port.ts';
import {createRunLookup, leaseOf} from './run-reader.ts';
import type {TranscriptCursor} from './transcripts.ts';

/** A lease that is out. */
export type OpenLease = {
	readonly runId: number;
	readonly token: number;
	/** When it runs out, on the monotonic clock: a wall clock that jumps ends no lease. */
	until: number;
	readonly transcript: TranscriptCursor;
};

/**
 * The leases of this process. They live in memory, since a lease dies with its process (opening the store takes over what is left); the
 * token beside each run on disk is what fences. A beat therefore costs no write.
 */
export function createLeases(clock: Clock) {
	const leases = new Map<number, OpenLease>();
	/** The lease, unless another has taken its place. */
	const find = (lease: Lease) => {
		const open = leases.get(lease.run.id);
		return open?.token === lease.token ? open : undefined;
	};

	return {
		find,
		open(lease: Lease, leaseMs: number, transcript: TranscriptCursor) {
			const runId = lease.run.id;
			const until = clock.monotonic() + leaseMs;
			leases.set(runId, {runId, token: lease.token, until, transcript});
		},
		/** Prolongs; `false` when it is lost. */
		beat(lease: Lease, leaseMs: number) {
			const open = find(lease);
			if (open) {
				open.until = clock.monotonic() + leaseMs;
			}

			return open !== undefined;
		},
		/** Ends the lease of a run; with `token`, only if it is that one. */
		close(runId: number, token = leases.get(runId)?.token) {
			if (leases.get(runId)?.token === token) {
				leases.delete(runId);
			}
		},
		/** Leases that were neither beaten nor settled in time. */
		expired: (): readonly OpenLease[] =>
			[...leases.values()].filter(lease => lease.until <= clock.monotonic()),
		/** When the first lease runs out, milliseconds from now; `undefined` when none is out. */
		nextExpiryMs() {
			const ends = [...leases.values()].map(lease => lease.until);
			return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends) - clock.monotonic());
		},
	};
}

/** A function that leases up to `count` due runs of lanes that have room, the lanes in turn, inside a transaction. `now` is milliseconds since 1970. */
export function createLeasing({
	database,
	counters,
	timed,
}: StoreParts): (count: number, now: number, lanes: Lanes) => readonly Lease[] {
	const read = createRunLookup(database);
	const mark = database.prepare(
		// What still awaits a login has waited long enough.
		`update run set state = ?, attempt = attempt + ?, token = ?, started_at = coalesce(started_at, ?), due_at = null,
			login_wait = iif(awaits_logins is null, login_wait, 0), awaits_logins = null where id = ? returning state, token, login_wait`,
	);

	const take = (row: Row, now: number): readonly Lease[] => {
		const id = integerOf(row['id']);
		const token = integerOf(row['token']) + 1;
		const from = wordOf<RunState>(row['state']);
		const agent = from === 'queued';
		const state = agent ? 'running' : from;
		const marked = mark.get(state, agent ? 1 : 0, token, now, id);
		counters.moved(routeOf(row), from, state);
		timed.remove(id);
		const run = read(id);
		return run && marked ? [leaseOf(run, marked)] : [];
	};

	return (count, now, lanes) => {
		const leases: Lease[] = [];
		for (let taken = 0; taken < count; taken += 1) {
			const row = lanes.first();
			if (!row) {
				break;
			}

			leases.push(...take(row, now));
			lanes.take();
		}

		return leases;
	};
}
