import type {Clock} from '../core/clock.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row, optional} from './columns.ts';
import {routeOf} from './counters.ts';
import {type Lanes, nextMoment, createLanes} from './lanes.ts';
import type {StoreParts} from './parts.ts';
import type {Lease, Runs} from './port.ts';
import {awaitedServers, awaitsLogin} from './run-acts.ts';
import {createRunLookup, leaseOf, createRunReader, createRunsToDecide} from './run-reader.ts';
import {createRunSteps} from './run-steps.ts';
import {createAbandon} from './take-over.ts';
import {type TranscriptCursor, createTranscripts} from './transcripts.ts';
import type {TimedRun} from './waiting-runs.ts';

/** A current lease. */
export type OpenLease = {
	readonly runId: number;
	readonly token: number;
	/** When it expires, on the monotonic clock: a jump of the wall clock expires no lease. */
	until: number;
	readonly transcript: TranscriptCursor;
};

/**
 * The leases of this process, in memory, since a lease dies with its process (opening the store takes over what is left); the token with each run on disk does the fencing.
 * Renewing therefore costs no write.
 */
export function createLeases(clock: Clock) {
	const leases = new Map<number, OpenLease>();
	/** The open lease, unless another has replaced it. */
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
		/** Renews the lease; `false` when it is lost. */
		beat(lease: Lease, leaseMs: number) {
			const open = find(lease);
			if (open) {
				open.until = clock.monotonic() + leaseMs;
			}

			return open !== undefined;
		},
		/** Ends the lease of a run; with `token`, only the lease with that token. */
		close(runId: number, token = leases.get(runId)?.token) {
			if (leases.get(runId)?.token === token) {
				leases.delete(runId);
			}
		},
		/** Leases that have expired. */
		expired: (): readonly OpenLease[] =>
			[...leases.values()].filter(lease => lease.until <= clock.monotonic()),
		/** When the first lease expires, milliseconds from now; `undefined` without leases. */
		nextExpiryMs() {
			const ends = [...leases.values()].map(lease => lease.until);
			return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends) - clock.monotonic());
		},
	};
}

/** Returns a function that leases up to `count` due runs, from lanes with room in turn, inside a transaction. `now` is milliseconds since 1970. */
export function createLeasing({
	database,
	counters,
	timed,
}: StoreParts): (count: number, now: number, lanes: Lanes) => readonly Lease[] {
	const read = createRunLookup(database);
	const mark = database.prepare(
		// A due run that still awaits a login has used up its wait.
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

/** Maximum number of runs leased by one call. */
const maxLeases = 100;

/** `Runs` on SQLite. Leases are checked inside transactions, so concurrent calls are serialised. */
export function createRuns(parts: StoreParts): Runs {
	const {database, engine, clock, commit, counters, timed, times, publish} = parts;
	const read = createRunLookup(database);
	const toDecide = createRunsToDecide(engine);
	/** The last count, which a closed store still answers for the status of a gateway that has ended. */
	let countToDecide = 0;
	const steps = createRunSteps(parts);
	const transcripts = createTranscripts(database);
	const leases = createLeases(clock);
	const take = createLeasing(parts);
	const abandon = createAbandon(database, counters);
	const lanes = createLanes(database, id => timed.waitMs(id));
	/** Publishes a note when a run has become due. */
	const releasing = async (step: () => boolean) => {
		const changed = await commit.write(step);
		if (changed) {
			publish({kind: 'runs-released'});
		}

		return changed;
	};

	return {
		async lease(count, leaseMs, limits) {
			// SQLite would treat a negative limit as no limit.
			if (!(count >= 1)) {
				return [];
			}

			let expired: readonly OpenLease[] = [];
			const taken = await commit.write(() => {
				expired = leases.expired();
				for (const {runId, token} of expired) {
					abandon(runId, clock.now(), token);
				}

				times.keepUp();
				return take(Math.min(count, maxLeases), clock.now(), lanes(limits));
			});
			for (const {runId, token} of expired) {
				leases.close(runId, token);
			}

			for (const lease of taken) {
				leases.open(lease, leaseMs, transcripts.cursorOf(lease.run.id));
			}

			return taken;
		},
		async beginChat(chat, leaseMs) {
			const lease = await commit.write((): Lease => {
				const {id, token} = steps.beginChat(chat, clock.now());
				const run = read(id);
				if (!run) {
					throw new Error('A run that was just written is not there');
				}

				return {run, token, phase: 'agent'};
			});
			leases.open(lease, leaseMs, transcripts.cursorOf(lease.run.id));
			return lease;
		},
		async beat(lease, leaseMs) {
			return leases.beat(lease, leaseMs);
		},
		markSideEffect: async lease => commit.write(() => steps.markSideEffect(lease)),
		markDeliveryStarted: async (lease, how) =>
			commit.write(() => steps.markDeliveryStarted(lease, how)),
		answer: async (lease, answer) => commit.write(() => steps.answer(lease, answer)),
		async settle(lease, settlement) {
			const changed = await commit.write(() => steps.settle(lease, settlement, clock.now()));
			if (changed) {
				leases.close(lease.run.id, lease.token);
			}

			return changed;
		},
		append(lease, entries) {
			const open = leases.find(lease);
			if (open) {
				commit.defer(transcripts.plan(open.runId, open.transcript, entries));
			}
		},
		work(lease, work) {
			if (leases.find(lease)) {
				commit.defer(() => steps.work(lease, work));
			}
		},
		async cancel(runId) {
			const changed = await commit.write(() => steps.cancel(runId, clock.now()));
			if (changed) {
				leases.close(runId);
				publish({kind: 'run-cancelled', run: runId});
			}

			return changed;
		},
		drop: async (runId, reason) => commit.write(() => steps.drop(runId, reason, clock.now())),
		handOver: async (runId, target) => releasing(() => steps.handOver(runId, target, clock.now())),
		retry: async runId => releasing(() => steps.retry(runId, clock.now())),
		async release(server) {
			const isMeant = (run: TimedRun) => awaitsLogin(run, server);
			// Usually no run waits; then there is no write.
			if (!timed.awaiting().some(isMeant)) {
				return [];
			}

			const released = await commit.write(() => {
				times.keepUp();
				const meant = timed.awaiting().filter(isMeant);
				for (const {id} of meant) {
					steps.release(id, timed.waitMs(id));
				}

				return meant.map(({id}) => id).toSorted((a, b) => a - b);
			});
			publish({kind: 'runs-released'});
			return released;
		},
		async awaitedLogins() {
			const awaiting = timed.awaiting();
			return {runs: awaiting.length, servers: awaitedServers(awaiting)};
		},
		get: async runId => read(runId),
		...createRunReader(engine),
		toDecide: toDecide.list,
		counts: async () => ({queued: counters.queued, active: counters.active}),
		async waits() {
			const [rateLimit, login, retry] = [
				timed.promised(),
				timed.awaiting().length,
				timed.retried(),
			];
			const worker = counters.queued - rateLimit - login - retry;
			return {
				waits: {worker, rateLimit, login, retry},
				// A gateway that has ended still reports what stays queued.
				...optional('oldestDueAt', database.isOpen ? lanes().oldestDueAt() : undefined),
			};
		},
		async kept() {
			countToDecide = database.isOpen ? await toDecide.count() : countToDecide;
			return {all: counters.runs, toDecide: countToDecide};
		},
		nextDue: async limits => nextMoment(lanes(limits).next(), leases.nextExpiryMs(), clock.now()),
	};
}
