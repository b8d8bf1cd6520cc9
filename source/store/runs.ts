import {optional} from './columns.ts';
import {nextMoment} from './lane-choice.ts';
import {createLanes} from './lanes.ts';
import {createLeases, createLeasing, type OpenLease} from './leases.ts';
import type {StoreParts} from './parts.ts';
import type {Lease, Runs} from './port.ts';
import {awaitedServers, awaitsLogin} from './run-queue.ts';
import {createRunLookup, createRunReader, createRunsToDecide} from './run-reader.ts';
import {createRunSteps} from './run-steps.ts';
import {createAbandon} from './take-over.ts';
import type {TimedRun} from './timed-runs.ts';
import {createTranscripts} from './transcripts.ts';

/** Runs that one call may lease. */
const maxLeases = 100;

/** `Runs` on SQLite. What a lease fences is decided inside the transaction, so calls that race are in order. */
export function createRuns(parts: StoreParts): Runs {
	const {database, engine, clock, commit, counters, timed, times, publish} = parts;
	const read = createRunLookup(database);
	const toDecide = createRunsToDecide(engine);
	/** The last count, which a closed store still answers: the status of a gateway that has ended is asked for, too. */
	let countToDecide = 0;
	const steps = createRunSteps(parts);
	const transcripts = createTranscripts(database);
	const leases = createLeases(clock);
	const take = createLeasing(parts);
	const abandon = createAbandon(database, counters);
	const lanes = createLanes(database, id => timed.waitMs(id));
	/** Tells that a run is due, when it is. */
	const releasing = async (step: () => boolean) => {
		const changed = await commit.write(step);
		if (changed) {
			publish({kind: 'runs-released'});
		}

		return changed;
	};

	return {
		async lease(count, leaseMs, limits) {
			// SQLite takes a negative limit for none.
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
			// Mostly no run waits, and that costs no write.
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
