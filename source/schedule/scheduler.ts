import type {Clock} from '../core/clock.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import type {Busy} from '../core/idle.ts';
import type {JobView} from '../core/job.ts';
import type {Logger} from '../core/log.ts';
import type {RunPlan} from '../core/run.ts';
import type {Store} from '../store/port.ts';
import {findJob, requireJob, type FoundJob} from './find-job.ts';
import type {JobDefinition} from './job.ts';
import {createLook} from './look.ts';
import {setJobPaused} from './pause-job.ts';
import {planFor} from './perform-tick.ts';
import {createWatchedProfiles, type ScheduledProfile} from './watched-profiles.ts';

/** Runs of one job that may wait because routes asked for them. */
export const maxQueuedPerJob = 20;

/** How often it is looked whether files or the clock were changed. No timer waits longer, so that a machine that slept is late by no more. */
const recheckMs = 30_000;

export type SchedulerDependencies = {
	readonly clock: Clock;
	readonly jobs: Store['jobs'];
	/** Asked at every look; those whose lock this process holds. */
	readonly profiles: () => readonly ScheduledProfile[];
	readonly log: Logger;
	/** Bound of the queue. */
	readonly maxQueued: () => number;
	/** A run is on disk and waits; must not throw. */
	readonly onFired: (runId: number) => void;
	/** The jobs as they stand now, when that differs; must not throw. */
	readonly onChanged: (views: readonly JobView[]) => void;
	/** Counts each look. */
	readonly busy?: Busy;
};

export type Scheduler = {
	/** Resolves after the first look: what was due has fired, `views` is full. */
	readonly ready: Promise<void>;
	/** Looks at the files and the journal again; resolves when that is done. Never rejects. */
	reload(): Promise<void>;
	/** The job that `reference` (identifier, else name) leads to, as its file says now. */
	find(reference: string, profile?: string): FoundJob;
	/** What a run of the job needs; `context` follows its prompt. */
	planFor(job: JobDefinition, context?: string): RunPlan;
	/**
	 * Queues a run now, also of a paused job.
	 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `queue_full`, `journal_unavailable`
	 */
	runNow(
		reference: string,
		options?: {readonly profile?: string},
	): Promise<{readonly runId: number}>;
	/**
	 * Pauses or resumes a job in its file.
	 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `jobs_broken`
	 */
	setPaused(
		reference: string,
		options: {readonly paused: boolean; readonly profile?: string},
	): Promise<void>;
	/** Every job, by profile and in the order of the files. */
	views(): readonly JobView[];
	/** Fires nothing more; resolves when what was under way is on disk. */
	[Symbol.asyncDispose](): Promise<void>;
};

/**
 * Fires the jobs of some profiles at their times: reads what is written, asks the journal when each is due, and does what `planTick` says. The wall clock
 * decides; it is looked at again at least every 30 s. When each job fires next is in the journal, so a restart changes nothing, and two schedulers on one
 * journal fire each time once. Whatever fails is logged and tried again.
 */
export function createScheduler({
	clock,
	jobs,
	profiles,
	log,
	maxQueued,
	onFired,
	onChanged,
	busy,
}: SchedulerDependencies): Scheduler {
	const watched = createWatchedProfiles({clock, profiles, log});
	const look = createLook({clock, jobs, watched, log, maxQueued, onFired});
	let views: readonly JobView[] = [];
	let running: Promise<void> | undefined;
	let again = false;
	let closed = false;
	let cancelTimer: (() => void) | undefined;

	const lookOnce = async (): Promise<number | undefined> => {
		try {
			const seen = await look({isClosed: () => closed});
			if (JSON.stringify(seen.views) !== JSON.stringify(views)) {
				({views} = seen);
				onChanged(views);
			}

			return seen.until;
		} catch (error) {
			log.error(`Cannot look after jobs, tries again: ${messageOf(error)}`);
			return undefined;
		}
	};

	const lookUntilQuiet = async (): Promise<void> => {
		const end = busy?.begin();
		cancelTimer?.();
		let until: number | undefined;
		while (again) {
			again = false;
			// oxlint-disable-next-line no-await-in-loop -- somebody may ask while it looks
			until = await lookOnce();
		}

		running = undefined;
		if (!closed) {
			const waitMs = (until ?? Number.POSITIVE_INFINITY) - clock.now();
			cancelTimer = clock.after(Math.min(Math.max(waitMs, 0), recheckMs), () => {
				void reload();
			});
		}

		end?.();
	};

	const reload = async (): Promise<void> => {
		if (closed) {
			return;
		}

		again = true;
		running ??= lookUntilQuiet();
		await running;
	};

	const find = (reference: string, profile = 'default'): FoundJob => {
		const set = watched.get(profile)?.reader.current();
		return set ? findJob(set, reference) : {kind: 'unknown'};
	};

	return {
		ready: reload(),
		reload,
		find,
		planFor,
		async runNow(reference, {profile = 'default'} = {}) {
			const job = requireJob(reference, find(reference, profile));
			const fired = await jobs.fire({
				job: {profile, id: job.id, name: job.name},
				plan: planFor(job),
				maxQueued: maxQueued(),
			});
			if (fired.kind !== 'fired') {
				throw new SvcError(
					'queue_full',
					`Cannot run job "${job.name}": the queue is full, try again when runs have ended`,
				);
			}

			const {runId} = fired;
			onFired(runId);
			await reload();
			return {runId};
		},
		async setPaused(reference, {paused, profile = 'default'}) {
			const {paths} = watched.get(profile) ?? {};
			if (!paths) {
				requireJob(reference, {kind: 'unknown'});
				return;
			}

			await setJobPaused(paths, {reference, paused}, {clock});
			await reload();
		},
		views: () => views,
		async [Symbol.asyncDispose]() {
			closed = true;
			again = false;
			cancelTimer?.();
			await running;
		},
	};
}
