import type {RunPlan} from '../core/run.ts';

/** A scheduled job, as the journal knows it. */
export type JobKey = {readonly profile: string; readonly id: string};

/** What the journal keeps of a job beside its runs. Times are milliseconds since 1970. */
export type JobRecord = JobKey & {
	/** When its schedule fires next; absent when it does not. */
	readonly nextAt?: number;
	/** The schedule that `nextAt` was computed from, as the scheduler writes it. */
	readonly basis: string;
	readonly lastAt?: number;
	readonly lastRunId?: number;
	/** Runs of it that have not ended. */
	readonly open: number;
};

export type Fired =
	| {readonly kind: 'fired'; readonly runId: number}
	/** `dueAt` has fired before, or is not what the journal waits for. */
	| {readonly kind: 'stale'}
	/** A run of the job has not ended. Only the next time was written, and not even that for a tick that waits. */
	| {readonly kind: 'busy'; readonly runId: number}
	/** `queued` runs wait already; nothing was written. */
	| {readonly kind: 'full'; readonly queued: number};

/** When jobs fire, and that they fire once. Definitions of jobs are not here. */
export type Jobs = {
	list(): Promise<readonly JobRecord[]>;
	get(job: JobKey): Promise<JobRecord | undefined>;
	/** Durably sets when the job fires next (`undefined`: never). With `seen`, what was read of the job before, it changes nothing and answers `false` when the job is not like that any more: a plan that is written late would have it fire again. */
	plan(
		job: JobKey,
		next: {readonly nextAt: number | undefined; readonly basis: string},
		seen?: {readonly record: Pick<JobRecord, 'nextAt' | 'basis'> | undefined},
	): Promise<boolean>;
	/**
	 * One atomic, durable call: writes the queued run and the next time. With `dueAt` it is the schedule's tick: it fires only while the journal waits for exactly that time, which is over by the clock of the store (a minute is tolerated), and
	 * not while a run of the job has not ended; then the time is over, unless the tick `waits`. Without, a person or a route asked: the run waits for its turn.
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
	/** Forgets when a removed job fires; its runs stay. */
	forget(job: JobKey): Promise<void>;
};
