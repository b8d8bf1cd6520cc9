import type {RunPlan} from '../core/run.ts';

/** Identifies a scheduled job. */
export type JobKey = {readonly profile: string; readonly id: string};

/** What the journal stores about a job, besides its runs. Times are milliseconds since 1970. */
export type JobRecord = JobKey & {
	/** When the job fires next by its schedule; absent when it does not. */
	readonly nextAt?: number;
	/** The schedule from which `nextAt` was computed, in the scheduler's notation. */
	readonly basis: string;
	readonly lastAt?: number;
	readonly lastRunId?: number;
	/** Number of its unfinished runs. */
	readonly open: number;
};

export type Fired =
	| {readonly kind: 'fired'; readonly runId: number}
	/** `dueAt` has already fired, or is not the time in the journal. */
	| {readonly kind: 'stale'}
	/** A run of the job has not ended. Only the next time was written; for a tick that `waits` nothing was. */
	| {readonly kind: 'busy'; readonly runId: number}
	/** `queued` runs wait already; nothing was written. */
	| {readonly kind: 'full'; readonly queued: number};

/** When jobs fire, and that each time fires only once. Definitions of jobs are stored elsewhere. */
export type Jobs = {
	list(): Promise<readonly JobRecord[]>;
	get(job: JobKey): Promise<JobRecord | undefined>;
	/**
	 * Durably sets when the job fires next (`undefined`: never). `seen` is the job as read before: if it has changed since, nothing is written and the result is `false`, since
	 * a late plan would make it fire again.
	 */
	plan(
		job: JobKey,
		next: {readonly nextAt: number | undefined; readonly basis: string},
		seen?: {readonly record: Pick<JobRecord, 'nextAt' | 'basis'> | undefined},
	): Promise<boolean>;
	/**
	 * Atomically and durably writes the queued run and the next time. With `tick`, the schedule fires, but only if the journal has exactly the time `dueAt`, which must have
	 * passed by the store's clock (with a minute's tolerance). While a run of the job is unfinished it does not fire, and the time is skipped unless the tick `waits`. Without
	 * `tick`, a person or a route fires the job, and the run is queued in any case.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	fire(entry: {
		readonly job: JobKey & {readonly name: string};
		readonly plan: RunPlan;
		readonly maxQueued: number;
		readonly tick?: {
			readonly dueAt: number;
			readonly nextAt: number | undefined;
			readonly waits?: boolean;
		};
	}): Promise<Fired>;
	/** Deletes when a removed job fires; its runs stay. */
	forget(job: JobKey): Promise<void>;
};
