import type {DatabaseSync} from 'node:sqlite';
import type {Run} from '../core/run.ts';
import {type OnBroken, readRows} from './broken-rows.ts';
import {integerOf, optional, pageOf} from './columns.ts';
import type {DueTimes} from './due-queue.ts';
import {createLanes, type Lanes} from './lanes.ts';
import {createLeases, createLeasing, type OpenLease} from './leases.ts';
import type {StoreParts} from './parts.ts';
import type {Lease, Runs} from './port.ts';
import {awaitedServers, awaitsLogin} from './run-queue.ts';
import {createRunReader, runColumns, runOf, runTables} from './run-reader.ts';
import {createRunSteps} from './run-steps.ts';
import {createAbandon} from './take-over.ts';
import type {TimedRun} from './timed-runs.ts';
import {createTranscripts} from './transcripts.ts';

/** Runs that one call may lease. */
const maxLeases = 100;

/** `Runs` on SQLite. What a lease fences is decided inside the transaction, so calls that race are in order. */
export function createRuns({
	database,
	clock,
	commit,
	counters,
	timed,
	times,
	publish,
	onBroken,
}: StoreParts & {readonly times: DueTimes}): Runs {
	const reader = createRunReader(database, onBroken);
	const waiting = createRunsToDecide(database, onBroken);
	const steps = createRunSteps({database, counters, times});
	const transcripts = createTranscripts(database);
	const leases = createLeases(clock);
	const take = createLeasing({database, counters, reader, times});
	const abandon = createAbandon(database, counters);
	const lanes = createLanes(database, id => timed.waitMs(id));

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
				const run = reader.read(id);
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
		async handOver(runId, target) {
			const changed = await commit.write(() => steps.handOver(runId, target, clock.now()));
			if (changed) {
				publish({kind: 'runs-released'});
			}

			return changed;
		},
		async retry(runId) {
			const changed = await commit.write(() => steps.retry(runId, clock.now()));
			if (changed) {
				publish({kind: 'runs-released'});
			}

			return changed;
		},
		async release(server) {
			const isMeant = (run: TimedRun) => awaitsLogin(run, server);
			// Nobody waits, mostly, and that costs no write.
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
		get: async runId => reader.read(runId),
		view: async runId => reader.view(runId),
		list: reader.list,
		toDecide: async limit => waiting.list(limit),
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
				// Whoever leaves with a gateway that has ended is told what stays queued.
				...optional('oldestDueAt', database.isOpen ? lanes().oldestDueAt() : undefined),
			};
		},
		kept: async () => ({all: counters.runs, toDecide: waiting.count()}),
		async nextDue(limits) {
			const next = lanes(limits).next();
			const now = clock.now();
			const expiryMs = leases.nextExpiryMs();
			const moments = [
				...(next ? [timeOf(next, now)] : []),
				...(expiryMs === undefined ? [] : [now + expiryMs]),
			];
			return moments.length === 0 ? undefined : Math.min(...moments);
		},
	};
}

/** On the wall clock of `now`. What is due may be marked with a time that this clock has not reached: it was set back. */
const timeOf = ({head, waitMs}: NonNullable<ReturnType<Lanes['next']>>, now: number): number =>
	waitMs > 0 ? now + Math.ceil(waitMs) : Math.min(now, integerOf(head['due_at']));

/** As the index has it. */
const isWaiting = `run.state in ('interrupted', 'uncertain', 'dead')`;

/** The runs that wait for a person, by an index of nothing else: they may be the oldest of many. */
function createRunsToDecide(
	database: DatabaseSync,
	onBroken: OnBroken,
): {
	/** Newest first. */
	list(limit: number): readonly Run[];
	/** Of a store that is closed, what was counted last: the status of a gateway that has ended is asked for, too. */
	count(): number;
} {
	const list = database.prepare(
		`select ${runColumns} from ${runTables.replace('run ', 'run indexed by run_to_decide ')} where ${isWaiting} order by run.id desc limit ?`,
	);
	const count = database.prepare(
		`select count(*) as count from run indexed by run_to_decide where ${isWaiting}`,
	);
	let last = 0;
	return {
		list: limit => readRows(list.all(pageOf(limit)), runOf, {table: 'run', onBroken}),
		count() {
			last = database.isOpen ? integerOf(count.get()?.['count']) : last;
			return last;
		},
	};
}
