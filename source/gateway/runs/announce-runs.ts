import {messageOf} from '../../core/errors.ts';
import {hasEnded} from '../../core/run.ts';
import type {World} from '../../core/world.ts';
import type {JobKey} from '../../store/job-port.ts';
import type {Runs} from '../../store/port.ts';

/** Announces changes of runs. Never rejects: a run goes on without its announcement. */
export type RunAnnouncer = ReturnType<typeof createRunAnnouncer>;

/** Joins whatever happens to runs with those who want to know. */
export function createRunAnnouncer(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly runs: Pick<Runs, 'view'>;
		/** Looks for due runs; must not throw. */
		readonly wake: () => void;
		/** A run of the job waits or has ended; must not throw. */
		readonly onJobRun: (job: JobKey) => void;
	},
) {
	const {runs, clock, emit, log, wake, onJobRun} = world;
	const changed = async (runId: number) => {
		try {
			const run = await runs.view(runId);
			if (!run) {
				return;
			}

			emit({type: 'run-changed', at: clock.now(), run});
			if (run.job && (run.state === 'queued' || hasEnded(run.state))) {
				onJobRun({profile: run.profile, id: run.job.id});
			}
		} catch (error) {
			log.warn('Cannot read the run from the journal', {run: runId, error: messageOf(error)});
		}
	};

	return {
		/** The run stands elsewhere than before: tells the faces, and the schedule when that changes what is open of a job. */
		changed,
		/** The run is on disk and waits: the same, and it starts when there is a place. */
		async queued(runId: number) {
			wake();
			await changed(runId);
		},
	};
}
