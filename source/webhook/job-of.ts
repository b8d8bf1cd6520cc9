import type {Route} from '../config/route.ts';
import type {RunPlan} from '../core/run.ts';
import type {JobKey} from '../store/job-port.ts';

/** A scheduled job that can be fired now. */
export type FiringJob = JobKey & {
	readonly name: string;
	/** Runs of it that may wait. */
	readonly maxQueued: number;
	/** The job's own plan; `context` is appended to its prompt after an empty line. */
	readonly planWith: (context: string) => RunPlan;
};

/**
 * The job that a route's `cronJob` names in the route's profile. Asked for each event, after its filters and its script; asks no disk but the stamp of a file. `reason`
 * is one line for the person at the terminal: unknown, ambiguous, paused, invalid.
 *
 * @see manual/routes.md#keys, manual/receiver.md#order-of-decisions
 */
export type JobOf = (
	route: Route & {readonly cronJob: string},
) => {readonly ok: true; readonly job: FiringJob} | {readonly ok: false; readonly reason: string};
