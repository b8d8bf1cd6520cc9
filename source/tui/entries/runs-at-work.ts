import type {RunPlaces, RunQueue, RunWaits} from '../../core/run-queue.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';

/** Where the runs stand that have not ended. */
type RunsAtWork = Pick<RunQueue, 'waits' | 'oldestDueAt'> & {
	/** An agent works on them, or their answer is handed over; of those that are in memory. */
	readonly atWork: number;
	/** They ask a person, and take no place meanwhile. */
	readonly asking: number;
	/** Absent: the gateway does not say. */
	readonly places?: RunPlaces;
};

/** Counts the runs that have not ended. If the gateway does not count its queue, the waiting runs in memory are counted instead. */
export function runsAtWork(
	{runs, approvals, queue}: Pick<GatewayState, 'runs' | 'approvals' | 'queue'>,
	now: number,
): RunsAtWork {
	const askers = new Set(approvals.map(({run}) => run));
	let [atWork, asking] = [0, 0];
	const waits = {worker: 0, rateLimit: 0, login: 0, retry: 0};
	for (const run of runs) {
		if (run.state === 'queued') {
			waits[waitOf(run, now)] += 1;
		} else if (run.state === 'running' || run.state === 'delivering') {
			asking += askers.has(run.id) ? 1 : 0;
			atWork += askers.has(run.id) ? 0 : 1;
		}
	}

	return {atWork, asking, waits, ...queue};
}

function waitOf({attempt, awaitsLogins, nextAttemptAt = 0}: Run, now: number): keyof RunWaits {
	if (nextAttemptAt <= now) {
		return 'worker';
	}

	return awaitsLogins ? 'login' : attempt === 0 ? 'rateLimit' : 'retry';
}
