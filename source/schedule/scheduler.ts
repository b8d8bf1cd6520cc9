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

/** Most queued runs of one job that routes requested. */
export const maxQueuedPerJob = 20;

/** Interval of full sweeps, which notice changes of files and of the clock. No timer waits longer: after sleep the machine is late by at most that. */
const recheckMs = 30_000;

/** Debounce time: jobs whose runs change within it are processed together. */
const runsChangeMs = 250;

type SchedulerDependencies = Pick<World, 'clock' | 'log'> & {
	readonly jobs: Store['jobs'];
	/** The profiles whose lock this process holds. Called at every full sweep. */
	readonly profiles: () => readonly ScheduledProfile[];
	/** Why `profile` is not among `profiles`, one sentence without a period. */
	readonly whyNotServed: (profile: string) => string;
	/** Most waiting runs in the queue. */
	readonly maxQueued: () => number;
	/** Called when a run is stored and queued; must not throw. */
	readonly onFired: (runId: number) => void;
	/** Called with all jobs when a view has changed; must not throw. */
	readonly onChanged: (views: readonly JobView[]) => void;
	/** Counts each sweep. */
	readonly busy?: Busy;
};

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Fires the jobs of some profiles at their times: reads their files, gets due times from the journal, and executes the steps of `planTick`. The wall clock decides; it is
 * read again at least every 30 s. Nothing happens before the first `reload`. The next time of each job is in the journal, so a restart changes nothing, and two schedulers
 * on one journal fire each time once. Failures are logged and retried.
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
	/** The jobs of the next sweep; `undefined`: none. */
	let wanted: {all: boolean; keys: readonly JobKey[]} | undefined;
	/** Jobs to process soon, by name. */
	const changed = new Map<string, JobKey>();
	let cancelSoon: (() => void) | undefined;
	let cancelTimer: (() => void) | undefined;
	/** Time of the next full sweep, by the monotonic clock. */
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
		/** Makes a full sweep, the first time and later; resolves when the due jobs have fired and `views` is up to date. Never rejects. */
		reload,
		/** Call it when a run of the job was queued or has ended: the job is processed soon. */
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
		/** The job named by `reference` (identifier, else name), by its present file. */
		find,
		/**
		 * Queues a run now, even of a paused job.
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
		/** The views of all jobs, by profile and in the order of the files. */
		views: (): readonly JobView[] => views,
		/** Files of jobs that cannot be used at present. */
		brokenFiles: (): readonly BrokenJobs[] => watched.brokenFiles(),
		/** Stops firing; resolves when a running sweep has been stored. */
		async [Symbol.asyncDispose]() {
			closed = true;
			wanted = undefined;
			cancelTimer?.();
			cancelSoon?.();
			await running;
		},
	};
}

/** Whether both lists contain the same objects: equal views are the same object. */
const isSameList = (some: readonly JobView[], others: readonly JobView[]): boolean =>
	some.length === others.length && some.every((view, index) => view === others[index]);
