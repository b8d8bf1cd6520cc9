import {within} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {queuedOf, type RunQueue} from '../../core/run-queue.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayStatus} from '../port.ts';
import type {Rooms, Seat} from '../rooms.ts';
import {restartNeeded, readRunQueue} from './health.ts';
import {statusErrors} from './status-errors.ts';

/** Time limit for reading the store, milliseconds: the whole answer may take five seconds. */
const readMs = 2000;

const nothingKnown: StoreFacts = {
	notesLagMs: undefined,
	active: 0,
	toDecide: 0,
	pendingGroups: 0,
	byRoute: [],
	queue: {
		waits: {worker: 0, rateLimit: 0, login: 0, retry: 0},
		places: {taken: 0, all: 0},
	},
};

const countedRuns = 1000;
const maxRoutes = 10;

/** The routes with the most runs. */
function byRoute(runs: ReadonlyArray<Pick<Run, 'profile' | 'route'>>) {
	const groups = Map.groupBy(runs, ({profile, route}) => JSON.stringify([profile, route]));
	return [...groups.values()]
		.flatMap(([first, ...more]) =>
			first ? [{profile: first.profile, route: first.route, queued: more.length + 1}] : [],
		)
		.toSorted((a, b) => b.queued - a.queued)
		.slice(0, maxRoutes);
}

/** The facts last read from each store. */
const lastFacts = new WeakMap<object, StoreFacts>();

type StoreFacts = Omit<Awaited<ReturnType<typeof readFacts>>, 'failing'> & {
	readonly failing?: string | undefined;
};

async function readFacts({store, dispatcher, cluster}: Rooms) {
	const [{active}, {toDecide}, queue, pendingGroups, {failing, notesLagMs}, queued] =
		await Promise.all([
			store.runs.counts(),
			store.runs.kept(),
			readRunQueue(store.runs, dispatcher.places),
			store.groups.pending(),
			store.health(),
			cluster.isShared ? store.runs.list({states: ['queued'], limit: countedRuns}) : [],
			cluster.look(),
		]);
	return {
		active,
		toDecide,
		queue,
		pendingGroups,
		notesLagMs,
		failing,
		byRoute: byRoute(queued),
	};
}

/** Facts read from the store; if a shared one does not answer within two seconds, the last known ones. */
async function storeFacts(rooms: Rooms): Promise<StoreFacts> {
	if (!rooms.cluster.isShared) {
		return readFacts(rooms);
	}

	const {store, clock} = rooms;
	const late = new AbortController();
	const cancel = clock.after(readMs, () => late.abort());
	try {
		const facts = await within(readFacts(rooms), late.signal);
		lastFacts.set(store, facts);
		return facts;
	} catch (error) {
		const known = lastFacts.get(store) ?? nothingKnown;
		return {...known, failing: rooms.failing() ?? messageOf(error)};
	} finally {
		cancel();
	}
}

/** The gateway's status as one object. @see manual/control-api.md */
export async function gatewayStatus(
	{state, seat}: {readonly state: GatewayState; readonly seat: Seat},
	rooms: Rooms,
): Promise<GatewayStatus> {
	const {jobs, live, receiver, servers, cluster} = rooms;
	const {platforms, model, modelProblem, modelSilence} = state;
	const facts = await storeFacts(rooms);
	const {active, queue, failing} = facts;
	const views = jobs.views();
	const next = views.flatMap(({state: is, nextAt}) =>
		is === 'active' && nextAt !== undefined ? [nextAt] : [],
	);
	const differences = cluster.differences();
	return {
		...processStatus(state, seat),
		webhook: receiverStatus(state.webhook),
		api: receiverStatus(state.api ?? {state: 'disabled'}),
		runs: {
			active,
			queued: queuedOf(queue.waits),
			to_decide: facts.toDecide,
			awaiting_login: queue.waits.login,
			queue: queueStatus(queue),
		},
		groups: facts.pendingGroups,
		jobs: {count: views.length, next_at: next.length === 0 ? null : Math.min(...next)},
		servers: servers.views().map(({name, profile: owner, status, tools, reason}) => ({
			name,
			profile: owner,
			status,
			tools: tools.length,
			reason: reason ?? null,
		})),
		approvals: state.approvals.length,
		platforms,
		model: model ?? null,
		model_problem: modelProblem ?? modelSilence?.reason ?? null,
		slips: statusErrors({
			config: live.current(),
			table: live.routes(),
			jobs: views,
			findJob: jobs.find,
			brokenJobs: jobs.brokenFiles(),
		}),
		config_problems: state.problems,
		restart_needed: restartNeeded(live.started(), live.current(), receiver.listensOn()),
		journal_failing: failing ?? null,
		store: {kind: cluster.isShared ? 'postgres' : 'sqlite', ok: failing === undefined},
		...(cluster.isShared && {
			sharing: {
				notes_lag_ms: facts.notesLagMs ?? null,
				queue_by_route: [...facts.byRoute],
				...(differences.length > 0 && {differences}),
			},
		}),
		cluster: {
			members: cluster.members().map(({node, since, seen, leases}) => ({
				node,
				since: new Date(since).toISOString(),
				seen: new Date(seen).toISOString(),
				leases: cluster.isShared ? leases : active,
			})),
		},
	};
}

const queueStatus = ({
	waits: {rateLimit, ...waits},
	oldestDueAt,
	places,
}: RunQueue): NonNullable<GatewayStatus['runs']['queue']> => ({
	...waits,
	rate_limit: rateLimit,
	oldest_due_at: oldestDueAt ?? null,
	places: places.all,
	places_taken: places.taken,
});

function receiverStatus(webhook: GatewayState['webhook']): GatewayStatus['webhook'] {
	if (webhook.state === 'listening') {
		return {url: webhook.url};
	}

	return webhook.state === 'refused' ? {refused: webhook.reason} : {disabled: true};
}

/** The gateway's status while its store has never been open. */
export const waitingStatus = (
	state: GatewayState,
	{reason, seat}: {readonly reason: string; readonly seat: Seat},
): GatewayStatus => ({
	...processStatus(state, seat),
	webhook: {refused: reason},
	api: {refused: reason},
	runs: {active: 0, queued: 0, to_decide: 0, awaiting_login: 0},
	groups: 0,
	jobs: {count: 0, next_at: null},
	servers: [],
	approvals: 0,
	platforms: [],
	model: null,
	model_problem: null,
	slips: [],
	config_problems: state.problems,
	restart_needed: [],
	journal_failing: reason,
	store: {kind: 'postgres', ok: false},
	cluster: {members: []},
});

const processStatus = ({gateway}: GatewayState, seat: Seat) => ({
	pid: gateway.pid,
	version: gateway.version,
	home: gateway.home,
	profile: gateway.profile,
	seat,
	started_at: gateway.startedAt,
});
