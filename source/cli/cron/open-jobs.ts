import type {JobView} from '../../core/job.ts';
import {silentLogger} from '../../core/log.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {createJobsReader, type JobSet} from '../../schedule/job-file.ts';
import {viewOfJob} from '../../schedule/job-view.ts';
import type {JobEntry} from '../../schedule/job.ts';
import type {JobRecord, Runs} from '../../store/port.ts';
import type {Context} from '../console/context.ts';
import {
	contextAbove,
	findServingGateway,
	requireServingGateway,
	type ServingGateway,
} from '../home/gateway-access.ts';

/** The jobs of the context's profile: what their file says, and what a gateway or the journal on disk knows of them. */
export type OpenJobs = AsyncDisposable & {
	readonly set: JobSet;
	/** One for each entry of `set`, in its order. */
	readonly views: readonly JobView[];
	readonly runs: Pick<Runs, 'list'>;
};

/** Opens the jobs of the context's profile. Definitions are those of the file: a gateway may see a change a moment later. @throws SvcError */
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

/** The gateway that fires the jobs of the context's profile. @throws SvcError `gateway_not_running` */
export const requireJobGateway = async (context: Context): Promise<ServingGateway> =>
	requireServingGateway(context, listJobs);

type Memory = AsyncDisposable & {
	readonly runs: Pick<Runs, 'list'>;
	recordOf(entry: JobEntry): JobRecord | undefined;
};

async function liveMemory({gateway, profile}: ServingGateway): Promise<Memory> {
	const views = (await gateway.listJobs()).filter(view => view.profile === profile);
	const byId = new Map(views.map(view => [view.id, view]));
	return {
		runs: {list: filter => gateway.listRuns(filter)},
		recordOf(entry) {
			const view = byId.get(entry.job.id);
			return view && recordOfView(view, entry);
		},
		async [Symbol.asyncDispose]() {},
	};
}

/** What the journal says, read back from a view of the gateway. When it fires next counts only while both speak of the same schedule. */
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

/** The journal of the profile; where it knows nothing of the jobs, that of the home, whose gateway may have fired them. */
async function openDisk(context: Context): Promise<Memory> {
	const {readStore} = await import('../../store/open-store.ts');
	await using stack = new AsyncDisposableStack();
	const paths = context.paths();
	const above = contextAbove(context);
	const own = stack.use(await readStore({file: paths.stateDb}));
	let journal = own;
	let records = (await own.jobs.list()).filter(record => record.profile === 'default');
	if (records.length === 0 && above) {
		journal = stack.use(await readStore({file: above.paths().stateDb}));
		records = (await journal.jobs.list()).filter(record => record.profile === paths.profile);
	}

	const byId = new Map(records.map(record => [record.id, record]));
	const open = stack.move();
	return {
		runs: {list: filter => journal.runs.list(filter)},
		recordOf: ({job}) => byId.get(job.id),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}
