import type {JobView} from '../../core/job.ts';
import {compact, countOf} from '../../core/names.ts';
import type {Act, Outcome} from '../act.ts';
import {partsOfKey} from '../noun.ts';
import {jobName} from './job.ts';

type OfProfile = {readonly profile: string};

/** A job found by a person's input. */
export type NamedJob = {readonly id: string; readonly name: string};

/** The gateway operations on jobs. Implementations that edit the file themselves return the job. */
export type JobPort = {
	setJobPaused(
		job: string,
		options: OfProfile & {readonly paused: boolean},
	): Promise<NamedJob | void>;
	/** `seen`: how to watch the run, if worth mentioning. */
	runJob(
		job: string,
		of: OfProfile,
	): Promise<{readonly runId: number; readonly seen?: string | undefined}>;
};

/** The operations on jobs in a file. */
export type JobFilePort = JobPort & {removeJob(job: string): Promise<NamedJob>};

const unusable = ({state, problem = ''}: JobView): string | undefined =>
	state === 'invalid' ? `The job is invalid: ${problem}` : undefined;

const gone = 'it is in no file';

/** Pauses or resumes a job. */
async function setPaused(
	port: JobPort,
	key: string,
	{paused, item}: {readonly paused: boolean; readonly item?: JobView | undefined},
): Promise<Outcome> {
	const [job, of] = partsOfKey(key);
	const found = await port.setJobPaused(job, {paused, ...of});
	const name = item ? jobName(item) : (found?.name ?? job);
	return {
		said: `${name} ${paused ? 'is paused: it does not fire' : 'is resumed: it fires at its next time'}`,
		json: {...found, paused},
	};
}

/** What can be done with a job. */
export const jobActs: ReadonlyArray<Act<JobView, JobPort>> = [
	{
		verb: 'run',
		key: 'x',
		label: 'run now (asks)',
		says: 'queue a run of a job now, also of a paused one; needs a running gateway',
		why: unusable,
		ask: job => ({
			title: `Run ${jobName(job)} now`,
			lines: compact([
				`Starts 1 agent run now; its answer goes to ${job.deliver}.`,
				job.open > 0 &&
					`${countOf(job.open, 'run of it has', 'runs of it have')} not ended: this one waits for that.`,
				job.state === 'paused' && 'Its schedule stays paused.',
			]),
			act: 'run it',
		}),
		async effect(port, key, {item}) {
			const [job, of] = partsOfKey(key);
			const {runId, seen} = await port.runJob(job, of);
			return {
				said: `Run #${runId} of ${item ? jobName(item) : job} is queued${seen === undefined ? '' : ` (${seen})`}`,
				json: {job, run: runId},
			};
		},
		gone,
	},
	{
		verb: 'pause',
		key: 'p',
		label: 'pause or resume',
		says: 'pause a job: it does not fire until it is resumed',
		why: job =>
			unusable(job) ?? (job.state === 'ended' ? 'It has fired once, and has ended' : undefined),
		effect: async (port, key, {item}) => setPaused(port, key, {paused: true, item}),
		back: {
			verb: 'resume',
			says: 'resume a paused job: it fires at its next time',
			isDone: ({state}) => state === 'paused',
			effect: async (port, key, {item}) => setPaused(port, key, {paused: false, item}),
		},
		gone,
	},
];

/** The command line's acts on jobs in a file. */
export const jobFileActs: ReadonlyArray<Act<JobView, JobFilePort>> = [
	...jobActs,
	{
		verb: 'remove',
		says: 'remove a job; its runs and answers stay',
		async effect(port, key) {
			const {id, name} = await port.removeJob(partsOfKey(key)[0]);
			return {said: `Removed ${id} (${name})`, json: {id, name}};
		},
		gone,
	},
];
