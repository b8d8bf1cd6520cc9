import {loadConfig} from '../../config/load-config.ts';
import {problemWithPlatform} from '../../config/platform-settings.ts';
import type {JobView} from '../../core/job.ts';
import {silentLogger} from '../../core/log.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import type {ListedJob} from '../../nouns/job/job.ts';
import {findJob, requireJob} from '../../schedule/find-job.ts';
import {newestAnswer} from '../../schedule/fired-times.ts';
import {createJobsReader, type JobSet} from '../../schedule/job-file.ts';
import {viewOfJob} from '../../schedule/job-view.ts';
import type {JobDefinition, JobEntry} from '../../schedule/job.ts';
import {nextTimes} from '../../schedule/when.ts';
import type {JobRecord} from '../../store/job-port.ts';
import type {Runs} from '../../store/port.ts';
import {zonedIsoTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {
	contextAbove,
	findServingGateway,
	requireServingGateway,
	servingContext,
	type ServingGateway,
} from '../home/gateway-access.ts';

const shownTimes = 3;
const shownRuns = 10;

/** The jobs of the context's profile: their definitions from the file, their state from a gateway or the journal. */
export type OpenJobs = AsyncDisposable & {
	readonly set: JobSet;
	/** One for each entry of `set`, in the same order. */
	readonly views: readonly JobView[];
	readonly runs: Pick<Runs, 'get' | 'list'>;
};

/** Opens the jobs of the context's profile. Definitions come from the file: a gateway may notice a change a moment later. @throws SvcError */
export async function openJobs(context: Context): Promise<OpenJobs> {
	const {clock} = context;
	const paths = context.paths();
	const set = createJobsReader({paths, clock, log: silentLogger}).current();
	const found = await findServingGateway(context, listJobs);
	const memory = found ? await liveMemory(found) : await openDisk(context);
	return {
		set,
		views: set.entries.map(entry =>
			viewOfJob({profile: paths.profile, entry}, memory.recordOf(entry), clock.now()),
		),
		runs: memory.runs,
		[Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
	};
}

const listJobs = async (gateway: GatewayCommands) => gateway.listJobs();

/** The jobs with their last runs, for listing. */
export const listedJobs = async (
	context: Context,
	{views, runs}: Pick<OpenJobs, 'runs' | 'views'>,
): Promise<readonly ListedJob[]> =>
	Promise.all(
		views.map(async view => ({
			...view,
			lastRunState:
				view.lastRunId === undefined ? undefined : (await runs.get(view.lastRunId))?.state,
			answerFile: newestAnswer(context.paths().cron, view.id),
		})),
	);

/** A job with its definition, its next times and its last runs. @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid` */
export async function shownJob(
	context: Context,
	{set, views, runs}: OpenJobs,
	reference: string,
): Promise<ListedJob | undefined> {
	const job = requireJob(reference, findJob(set, reference));
	const view = views[set.entries.findIndex(entry => entry.job.id === job.id)];
	const [listed] = await listedJobs(context, {views: view ? [view] : [], runs});
	if (!view || !listed) {
		return undefined;
	}

	const {prompt, skills, toolsets, model, target, misfire, createdAt, timeZone} = job;
	return {
		...view,
		next: timesOf(job, view, context.clock.now()).map(at => zonedIsoTime(at, timeZone)),
		lastRunState: listed.lastRunState,
		answerFile: listed.answerFile,
		prompt,
		skills,
		toolsets,
		model,
		deliverExtra: target.extra,
		misfire,
		createdAt,
		runs: await runs.list({job: job.id, limit: shownRuns}),
	};
}

/** The time that the journal waits for comes first: it may differ from the computed ones. */
const timesOf = (job: JobDefinition, {nextAt}: JobView, now: number): readonly number[] =>
	nextAt === undefined
		? []
		: [nextAt, ...nextTimes(job.schedule, {afterMs: Math.max(now, nextAt), count: shownTimes - 1})];

/**
 * Says why answers to jobs' targets would not arrive, by the configuration of the gateway that runs the jobs of the context's profile. If the configuration is
 * unusable, nothing is reported, since jobs can be made without it.
 */
export async function readPlatformProblems(
	context: Context,
): Promise<(deliver: string) => string | undefined> {
	const at = (await servingContext(context)) ?? context;
	const loaded = loadConfig({paths: at.paths(), environment: context.environment});
	return deliver => (loaded.ok ? problemWithPlatform(deliver, loaded.config) : undefined);
}

/** The gateway that runs the jobs of the context's profile. @throws SvcError `gateway_not_running` */
export const requireJobGateway = async (context: Context): Promise<ServingGateway> =>
	requireServingGateway(context, listJobs);

type Memory = AsyncDisposable & {
	readonly runs: Pick<Runs, 'get' | 'list'>;
	recordOf(entry: JobEntry): JobRecord | undefined;
};

async function liveMemory({gateway, profile}: ServingGateway): Promise<Memory> {
	const views = (await gateway.listJobs()).filter(view => view.profile === profile);
	const byId = new Map(views.map(view => [view.id, view]));
	return {
		runs: {get: id => gateway.getRun(id), list: filter => gateway.listRuns(filter)},
		recordOf(entry) {
			const view = byId.get(entry.job.id);
			return view && recordOfView(view, entry);
		},
		async [Symbol.asyncDispose]() {},
	};
}

/** The journal's record of a job, reconstructed from a gateway's view. The next time counts only if both have the same schedule. */
function recordOfView(view: JobView, entry: JobEntry): JobRecord {
	const {profile, id, nextAt, lastAt, lastRunId, open} = view;
	const isCurrent =
		entry.ok &&
		(view.state === 'active' || view.state === 'ended') &&
		view.schedule === entry.job.scheduleText &&
		view.timeZone === entry.job.timeZone;
	return {
		profile,
		id,
		basis: isCurrent ? entry.job.basis : '',
		open,
		...(nextAt !== undefined && {nextAt}),
		...(lastAt !== undefined && {lastAt}),
		...(lastRunId !== undefined && {lastRunId}),
	};
}

/** The journal of the profile, or if it knows none of the jobs, that of the home, whose gateway may have run them. */
async function openDisk(context: Context): Promise<Memory> {
	const {readStore} = await import('../../store/open-store.ts');
	const {readStorePlace} = await import('../../config/store-place.ts');
	const {environment} = context;
	await using stack = new AsyncDisposableStack();
	const paths = context.paths();
	const above = contextAbove(context);
	const own = stack.use(await readStore(await readStorePlace(paths, environment)));
	let journal = own;
	let records = (await own.jobs.list()).filter(record => record.profile === 'default');
	if (records.length === 0 && above) {
		journal = stack.use(await readStore(await readStorePlace(above.paths(), environment)));
		records = (await journal.jobs.list()).filter(record => record.profile === paths.profile);
	}

	const byId = new Map(records.map(record => [record.id, record]));
	const open = stack.move();
	return {
		runs: journal.runs,
		recordOf: ({job}) => byId.get(job.id),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}
