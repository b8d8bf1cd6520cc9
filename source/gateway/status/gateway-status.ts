import {within} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {queuedOf, type RunQueue} from '../../core/run-queue.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayStatus} from '../port.ts';
import type {Rooms, Seat} from '../rooms.ts';
import {restartNeeded} from './restart-needed.ts';
import {readRunQueue} from './run-queue.ts';
import {statusErrors} from './status-errors.ts';

/** A store that is away is waited for so long, milliseconds; the whole answer may take five seconds. */
const readMs = 2000;

const nothingKnown: StoreFacts = {
	active: 0,
	toDecide: 0,
	pendingGroups: 0,
	byRoute: [],
	queue: {
		waits: {worker: 0, rateLimit: 0, login: 0, retry: 0},
		places: {taken: 0, all: 0},
	},
};

/** What the status says of the store. */
type StoreFacts = {
	readonly active: number;
	readonly toDecide: number;
	readonly pendingGroups: number;
	readonly queue: RunQueue;
	readonly byRoute: ReadonlyArray<{
		readonly profile: string;
		readonly route: string;
		readonly queued: number;
	}>;
	readonly notesLagMs?: number;
	readonly failing?: string;
};

const countedRuns = 1000;
const maxRoutes = 10;

/** The routes that most of the runs are of. */
function byRoute(runs: ReadonlyArray<Pick<Run, 'profile' | 'route'>>): StoreFacts['byRoute'] {
	const groups = Map.groupBy(runs, ({profile, route}) => JSON.stringify([profile, route]));
	return [...groups.values()]
		.flatMap(([first, ...more]) =>
			first ? [{profile: first.profile, route: first.route, queued: more.length + 1}] : [],
		)
		.toSorted((a, b) => b.queued - a.queued)
		.slice(0, maxRoutes);
}

/** What each store said last. */
const lastFacts = new WeakMap<object, StoreFacts>();

async function readFacts({
	store,
	dispatcher,
	cluster,
}: Pick<Rooms, 'cluster' | 'dispatcher' | 'store'>): Promise<StoreFacts> {
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
		byRoute: byRoute(queued),
		...(notesLagMs !== undefined && {notesLagMs}),
		...(failing !== undefined && {failing}),
	};
}

/** What the store says; of one that others share and that is away, what it said last, within two seconds. */
async function storeFacts(
	rooms: Pick<Rooms, 'clock' | 'cluster' | 'dispatcher' | 'failing' | 'store'>,
): Promise<StoreFacts> {
	if (!rooms.cluster.isShared) {
		return readFacts(rooms);
	}

	const {store, clock} = rooms;
	const late = new AbortController();
	const cancel = clock.after(readMs, () => {
		late.abort();
	});
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

/** The gateway in one object. @see manual/control-api.md */
export async function gatewayStatus(
	{state, seat}: {readonly state: GatewayState; readonly seat: Seat},
	rooms: Pick<
		Rooms,
		| 'clock'
		| 'cluster'
		| 'dispatcher'
		| 'failing'
		| 'jobs'
		| 'live'
		| 'receiver'
		| 'servers'
		| 'store'
	>,
): Promise<GatewayStatus> {
	const {jobs, live, receiver, servers, cluster} = rooms;
	const {gateway, webhook, platforms, model, modelProblem, modelSilence, problems} = state;
	const {
		active,
		toDecide,
		queue,
		pendingGroups,
		failing,
		byRoute: routes,
		notesLagMs,
	} = await storeFacts(rooms);
	const views = jobs.views();
	const next = views.flatMap(({state: is, nextAt}) =>
		is === 'active' && nextAt !== undefined ? [nextAt] : [],
	);
	const differences = cluster.differences();
	return {
		pid: gateway.pid,
		version: gateway.version,
		home: gateway.home,
		profile: gateway.profile,
		seat,
		started_at: gateway.startedAt,
		webhook: receiverStatus(webhook),
		api: receiverStatus(state.api ?? {state: 'disabled'}),
		runs: {
			active,
			queued: queuedOf(queue.waits),
			to_decide: toDecide,
			awaiting_login: queue.waits.login,
			queue: queueStatus(queue),
		},
		groups: pendingGroups,
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
		config_problems: problems,
		restart_needed: restartNeeded(live.started(), live.current(), receiver.listensOn()),
		journal_failing: failing ?? null,
		store: {kind: cluster.isShared ? 'postgres' : 'sqlite', ok: failing === undefined},
		...(cluster.isShared && {
			sharing: {
				notes_lag_ms: notesLagMs ?? null,
				queue_by_route: [...routes],
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
