import type {Busy} from '../core/clock.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import type {JobView} from '../core/job.ts';
import type {World} from '../core/world.ts';
import type {JobKey} from '../store/job-port.ts';
import type {Store} from '../store/port.ts';
import {setJobPaused} from './edit-jobs.ts';
import {findJob, requireJob, type FoundJob} from './find-job.ts';
import {createJobSweep} from './job-sweep.ts';
import {planFor} from './job.ts';
import {type BrokenJobs, createWatchedProfiles, type ScheduledProfile} from './watched-profiles.ts';

/** Runs of one job that may wait because routes asked for them. */
export const maxQueuedPerJob = 20;

/** How often it is looked whether files or the clock were changed. No timer waits longer, so that a machine that slept is late by no more. */
const recheckMs = 30_000;

/** Runs of jobs that change within this time are looked at together. */
const runsChangeMs = 250;

type SchedulerDependencies = Pick<World, 'clock' | 'log'> & {
	readonly jobs: Store['jobs'];
	/** Asked at every sweep; those whose lock this process holds. */
	readonly profiles: () => readonly ScheduledProfile[];
	/** Why `profile` is not among them, one sentence without its end. */
	readonly whyNotServed: (profile: string) => string;
	/** Bound of the queue. */
	readonly maxQueued: () => number;
	/** A run is on disk and waits; must not throw. */
	readonly onFired: (runId: number) => void;
	/** The jobs as they stand now, when that differs; must not throw. */
	readonly onChanged: (views: readonly JobView[]) => void;
	/** Counts each sweep. */
	readonly busy?: Busy;
};

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Fires the jobs of some profiles at their times: reads their files, asks the journal when each is due, and does what `planTick` says. The wall clock
 * decides; it is looked at again at least every 30 s. Nothing happens before the first `reload`. When each job fires next is in the journal, so a restart changes nothing, and two schedulers on one
 * journal fire each time once. A failure is logged and tried again.
 */
export function createScheduler(world: SchedulerDependencies) {
	const {clock, jobs, profiles, whyNotServed, log, maxQueued, onFired, onChanged, busy} = world;
	const watched = createWatchedProfiles({clock, profiles, log});
	// Routes may name jobs before the first sweep.
	watched.refresh(clock.now());
	const sweep = createJobSweep(
		{clock, jobs, watched, log, maxQueued, onFired},
		{isClosed: () => closed},
	);
	let views: readonly JobView[] = [];
	let running: Promise<void> | undefined;
	let closed = false;
	/** The jobs to look at now; `undefined`: none. */
	let wanted: {all: boolean; keys: readonly JobKey[]} | undefined;
	/** Jobs to look at soon, by their names. */
	const changed = new Map<string, JobKey>();
	let cancelSoon: (() => void) | undefined;
	let cancelTimer: (() => void) | undefined;
	/** When to look at everything again, on the monotonic clock. */
	let recheckAt = Number.NEGATIVE_INFINITY;

	const want = async ({all = false, keys = []}: {all?: boolean; keys?: readonly JobKey[]}) => {
		if (!closed) {
			wanted = {all: all || (wanted?.all ?? false), keys: [...(wanted?.keys ?? []), ...keys]};
			running ??= sweepUntilQuiet();
			await running;
		}
	};

	const sweepOnce = async ({
		all,
		keys,
	}: NonNullable<typeof wanted>): Promise<number | undefined> => {
		try {
			const seen = await (all ? sweep.all() : sweep.some(keys));
			if (!closed && !isSameList(seen.views, views)) {
				({views} = seen);
				onChanged(views);
			}

			return seen.until;
		} catch (error) {
			log.error(`Cannot look after jobs, tries again: ${messageOf(error)}`);
			return undefined;
		}
	};

	const sweepUntilQuiet = async (): Promise<void> => {
		const end = busy?.begin();
		cancelTimer?.();
		let until: number | undefined;
		while (wanted) {
			const now = wanted;
			wanted = undefined;
			recheckAt = now.all ? clock.monotonic() + recheckMs : recheckAt;
			// oxlint-disable-next-line no-await-in-loop -- a caller may ask while it looks
			until = await sweepOnce(now);
		}

		running = undefined;
		planNext(until);
		end?.();
	};

	const planNext = (until = Number.POSITIVE_INFINITY) => {
		if (!closed) {
			const waitMs = Math.min(until - clock.now(), recheckAt - clock.monotonic());
			cancelTimer = clock.after(Math.max(waitMs, 0), () => {
				void want({all: clock.monotonic() >= recheckAt});
			});
		}
	};

	const reload = async () => want({all: true});

	const find = (reference: string, profile = 'default'): FoundJob => {
		const set = watched.get(profile)?.reader.current();
		return set ? findJob(set, reference) : {kind: 'not-served', reason: whyNotServed(profile)};
	};

	return {
		/** Looks at the files and the journal, the first time and again; resolves when the due jobs have fired and `views` is up to date. Never rejects. */
		reload,
		/** A run of the job has been queued or has ended: looks at the job soon. */
		runChanged(job: JobKey) {
			if (closed) {
				return;
			}

			changed.set(`${job.profile} ${job.id}`, job);
			cancelSoon ??= clock.after(runsChangeMs, () => {
				const keys = [...changed.values()];
				changed.clear();
				cancelSoon = undefined;
				void want({keys});
			});
		},
		/** The job that `reference` (identifier, else name) leads to, as its file says now. */
		find,
		/**
		 * Queues a run now, also of a paused job.
		 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `profile_not_served`, `queue_full`, `journal_unavailable`
		 */
		async runNow(
			reference: string,
			{profile = 'default'}: {readonly profile?: string} = {},
		): Promise<{readonly runId: number}> {
			const job = requireJob(reference, find(reference, profile));
			const key = {profile, id: job.id};
			const fired = await jobs.fire({
				job: {...key, name: job.name},
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
			await want({keys: [key]});
			return {runId};
		},
		/**
		 * Pauses or resumes a job in its file.
		 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `profile_not_served`, `jobs_broken`
		 */
		async setPaused(
			reference: string,
			{paused, profile = 'default'}: {readonly paused: boolean; readonly profile?: string},
		) {
			const {paths} = watched.get(profile) ?? {};
			if (!paths) {
				requireJob(reference, find(reference, profile));
				return;
			}

			await setJobPaused(paths, {reference, paused}, {clock});
			await reload();
		},
		/** Every job, by profile and in the order of the files. */
		views: (): readonly JobView[] => views,
		/** Files of jobs that cannot be used as they are now. */
		brokenFiles: (): readonly BrokenJobs[] => watched.brokenFiles(),
		/** Fires nothing more; resolves when a sweep that was under way is on disk. */
		async [Symbol.asyncDispose]() {
			closed = true;
			wanted = undefined;
			cancelTimer?.();
			cancelSoon?.();
			await running;
		},
	};
}

/** Equal views are the same objects. */
const isSameList = (some: readonly JobView[], others: readonly JobView[]): boolean =>
	some.length === others.length && some.every((view, index) => view === others[index]);
