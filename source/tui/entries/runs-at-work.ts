import type {GatewayState} from '../../core/state.ts';

/** Where the runs stand that have not ended, of those that are in memory. */
export type RunsAtWork = {
	/** An agent works on them, or their answer is handed over. */
	readonly atWork: number;
	/** They ask a person, and take no place meanwhile. */
	readonly asking: number;
	/** They could begin now, and wait for a place. */
	readonly queued: number;
};

/** Counts them. What waits for its time or for a login counts as none of these. */
export function runsAtWork(
	{runs, approvals}: Pick<GatewayState, 'runs' | 'approvals'>,
	now: number,
): RunsAtWork {
	const waiting = new Set(approvals.map(({run}) => run));
	let [atWork, asking, queued] = [0, 0, 0];
	for (const {id, state, nextAttemptAt = 0} of runs) {
		if (state === 'queued') {
			queued += nextAttemptAt <= now ? 1 : 0;
		} else if (state === 'running' || state === 'delivering') {
			asking += waiting.has(id) ? 1 : 0;
			atWork += waiting.has(id) ? 0 : 1;
		}
	}

	return {atWork, asking, queued};
}
