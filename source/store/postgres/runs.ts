import {createMutex} from '../../core/mutex.ts';
import {nextMoment} from '../lanes.ts';
import type {Lease, Runs} from '../port.ts';
import {awaitedServers} from '../run-acts.ts';
import {createRunReader, createRunsToDecide} from '../run-reader.ts';
import {readCounters} from './counters.ts';
import {findNext, leaseRuns, type GivenLease} from './leasing.ts';
import type {PostgresParts} from './parts.ts';
import {createRunNotes, type NotedLease} from './run-notes.ts';
import {countOpen, readAwaiting, readRuns, type OpenRuns} from './run-reader.ts';
import {createRunSteps} from './run-steps.ts';

/** Maximum number of runs leased by one call. */
const maxLeases = 100;

/** How long after their expiry this gateway forgets leases whose end it did not learn of, milliseconds. */
const forgetMs = 600_000;

/**
 * `Runs` on PostgreSQL. A lease is part of the run's row: its token fences, whichever gateway holds it. What this process remembers of its own leases only serves to
 * continue transcripts, and to know when nothing more may be written.
 */
export function createRuns({
	database,
	clock,
	deferred,
	owner,
	publish,
}: Omit<PostgresParts, 'notes' | 'queued' | 'readWaiting'>): {
	readonly runs: Runs;
	/** Refreshes the counts that a closed store still answers. Never rejects. */
	close(): Promise<void>;
} {
	const toDecide = createRunsToDecide(database);
	const steps = createRunSteps({database, clock, owner});
	const notes = createRunNotes(deferred);
	const leases = new Map<number, NotedLease & {until: number}>();
	let isClosed = false;
	/** The last call of `lease` failed: runs it may have leased are released by the next call. */
	let mayHaveMore = false;

	const find = (lease: Lease) => {
		const known = leases.get(lease.run.id);
		return known?.token === lease.token ? known : undefined;
	};

	const close = (lease: Lease) => {
		if (find(lease)) {
			leases.delete(lease.run.id);
		}
	};

	const note = ({lease, cursor}: GivenLease, leaseMs: number): Lease => {
		const until = clock.monotonic() + leaseMs;
		leases.set(lease.run.id, {run: lease.run.id, token: lease.token, cursor, until});
		return lease;
	};

	/** Serialises calls in order: they would wait for each other at the database anyway. */
	const inTurn = createMutex();

	const forget = () => {
		for (const [run, {until}] of leases) {
			if (until < clock.monotonic() - forgetMs) {
				leases.delete(run);
			}
		}
	};

	/** Returns the result of `read`, or once the store is closed, the last one. */
	const remembering = <Value>(first: Value, read: () => Promise<Value>) => {
		let last = first;
		return async () => {
			last = isClosed ? last : await read();
			return last;
		};
	};
	const countKept = remembering({all: 0, toDecide: 0}, async () => ({
		all: (await readCounters(database)).runs,
		toDecide: await toDecide.count(),
	}));
	const counted = remembering<OpenRuns>(
		{queued: 0, active: 0, waits: {worker: 0, rateLimit: 0, login: 0, retry: 0}},
		async () => countOpen(database, database.now()),
	);

	/** Publishes a note when a run has become due. */
	const releasing = async (changing: Promise<boolean>) => {
		const changed = await changing;
		if (changed) {
			publish({kind: 'runs-released'});
		}

		return changed;
	};

	const runs: Runs = {
		// The other steps also publish notes or update leases.
		markSideEffect: steps.markSideEffect,
		markDeliveryStarted: steps.markDeliveryStarted,
		drop: steps.drop,
		...createRunReader(database),
		toDecide: toDecide.list,
		async lease(count, leaseMs, limits) {
			if (!(count >= 1)) {
				return [];
			}

			forget();
			const most = Math.min(Math.trunc(count), maxLeases);
			return inTurn(async () => {
				const known = mayHaveMore ? [...leases.keys()] : undefined;
				// Until the outcome of the call is known, it may have leased runs without a worker.
				mayHaveMore = true;
				const given = await leaseRuns(database, {count: most, leaseMs, limits, owner, known});
				mayHaveMore = false;
				return given.map(one => note(one, leaseMs));
			});
		},
		async beginChat(chat, leaseMs) {
			const id = await steps.beginChat(chat, leaseMs);
			const read = (await readRuns(database, [id])).get(id);
			if (!read) {
				throw new Error('A run that was just written is not there');
			}

			return note({lease: {run: read.run, token: 1, phase: 'agent'}, cursor: read.cursor}, leaseMs);
		},
		async beat(lease, leaseMs) {
			const isHeld = await steps.beat(lease, leaseMs);
			const known = find(lease);
			if (known && isHeld) {
				known.until = clock.monotonic() + leaseMs;
			} else {
				close(lease);
			}

			return isHeld;
		},
		async answer(lease, answer) {
			await notes.flush(lease.run.id);
			return steps.answer(lease, answer);
		},
		async settle(lease, settlement) {
			await notes.flush(lease.run.id);
			const changed = await steps.settle(lease, settlement);
			if (changed) {
				close(lease);
			}

			return changed;
		},
		append(lease, entries) {
			const known = find(lease);
			if (known) {
				notes.append(known, entries);
			}
		},
		work(lease, work) {
			const known = find(lease);
			if (known) {
				notes.work(known, work);
			}
		},
		async cancel(runId) {
			const changed = await steps.cancel(runId);
			if (changed) {
				leases.delete(runId);
				publish({kind: 'run-cancelled', run: runId});
			}

			return changed;
		},
		handOver: async (runId, target) => releasing(steps.handOver(runId, target)),
		retry: async runId => releasing(steps.retry(runId)),
		async release(server) {
			const released = await steps.release(server);
			if (released.length > 0) {
				publish({kind: 'runs-released'});
			}

			return released;
		},
		async awaitedLogins() {
			const awaiting = await readAwaiting(database, database.now());
			return {runs: awaiting.length, servers: awaitedServers(awaiting)};
		},
		async get(runId) {
			await notes.flush(runId);
			return (await readRuns(database, [runId])).get(runId)?.run;
		},
		async counts() {
			const {queued, active} = await counted();
			return {queued, active};
		},
		async waits() {
			const {waits, oldestDueAt} = await counted();
			return {waits, ...(oldestDueAt !== undefined && !isClosed && {oldestDueAt})};
		},
		kept: countKept,
		async nextDue(limits) {
			const {next, expiryMs} = await findNext(database, limits);
			return nextMoment(next, expiryMs, clock.now());
		},
	};

	return {
		runs,
		async close() {
			// Does not wait for a database that is unreachable.
			if (database.failing() === undefined) {
				await Promise.all([counted(), countKept()]).catch(() => {});
			}

			isClosed = true;
		},
	};
}
