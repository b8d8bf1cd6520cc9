import type {RunPlaces, RunQueue, RunWaits} from '../../core/run-queue.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';

/** Counts of unfinished runs by what they do. */
type RunsAtWork = Pick<RunQueue, 'waits' | 'oldestDueAt'> & {
	/** Runs in memory that an agent works on, or whose answer is being handed over. */
	readonly atWork: number;
	/** Runs that wait for a person, and occupy no worker meanwhile. */
	readonly asking: number;
	/** Absent: the gateway does not report it. */
	readonly places?: RunPlaces;
};

/** Counts the unfinished runs. If the gateway does not report its queue, the waiting runs in memory are counted. */
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
