import {messageOf} from '../../core/errors.ts';
import type {StoredRun} from '../../core/run.ts';
import {unavailableJob} from '../../schedule/find-job.ts';
import {keepAnswer} from '../../schedule/fired-times.ts';
import {planFor} from '../../schedule/job.ts';
import {createScheduler, maxQueuedPerJob, type Scheduler} from '../../schedule/scheduler.ts';
import type {JobOf} from '../../webhook/dispatch-event.ts';
import type {RoomWorld} from '../rooms.ts';
import {createServedProfiles} from './served-profiles.ts';
import {createJobsWatcher} from './watch-jobs.ts';

export type LiveJobs = ReturnType<typeof createLiveJobs>;

/**
 * Connects the scheduler with the profiles, their files and the journal. Jobs that were due while nothing ran fire at the first look, according to their `misfire`.
 *
 * @see manual/routes.md#keys, manual/control-api.md
 */
export function createLiveJobs(
	world: RoomWorld,
	/** `onFired`: a run is on disk and queued; must not throw. */
	{onFired}: {readonly onFired: (runId: number) => void},
) {
	const {clock, live, store, emit} = world;
	const config = () => live.current();
	const log = world.log.from('schedule');
	const stack = new AsyncDisposableStack();
	const served = stack.use(createServedProfiles({config, clock, log}));
	const watcher = stack.use(
		createJobsWatcher({
			log,
			onChange() {
				void scheduler.reload();
			},
		}),
	);
	const scheduler: Scheduler = stack.use(
		createScheduler({
			...world,
			log,
			jobs: store.jobs,
			profiles() {
				const profiles = served.current();
				watcher.watch(profiles.map(({paths}) => paths.cron));
				return profiles;
			},
			whyNotServed: profile => served.whyNot(profile),
			maxQueued: () => config().runs.maxQueued,
			onFired,
			onChanged: views => emit({type: 'jobs-changed', at: clock.now(), jobs: views}),
		}),
	);

	return {
		...scheduler,
		/** Begins firing, or applies changed files or profiles. Resolves when every job has been looked at; never rejects. */
		changed: async (): Promise<void> => scheduler.reload(),
		/** The job that a `cron_job` route fires. */
		jobOf: ({cronJob, profile}: Parameters<JobOf>[0]): ReturnType<JobOf> => {
			const found = scheduler.find(cronJob, profile);
			if (found.kind !== 'found' || found.job.paused) {
				return {ok: false, reason: unavailableJob(cronJob, found)};
			}

			const {job} = found;
			return {
				ok: true,
				job: {
					profile,
					id: job.id,
					name: job.name,
					maxQueued: maxQueuedPerJob,
					planWith: context => planFor(job, context),
				},
			};
		},
		/** Keeps the answer of a job's run in the job's output folder; does nothing for other runs. Never rejects. */
		async keepAnswer({id, job, profile}: StoredRun, answer: string): Promise<void> {
			if (!job) {
				return;
			}

			try {
				const {cron} = config().profiles.of(profile).paths;
				await keepAnswer({cron, job: job.id, run: id, at: clock.now()}, answer);
			} catch (error) {
				log.warn(`Cannot keep the answer of job "${job.name}" in its folder`, {
					run: id,
					error: messageOf(error),
				});
			}
		},
		/** Stops firing, then releases the homes of the other profiles. */
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}
