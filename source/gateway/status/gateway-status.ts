import {queuedOf, type RunQueue} from '../../core/run-queue.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayStatus} from '../port.ts';
import type {Rooms, Seat} from '../rooms.ts';
import {restartNeeded} from './restart-needed.ts';
import {readRunQueue} from './run-queue.ts';
import {statusSlips} from './status-slips.ts';

/** The gateway in one object. @see manual/control-api.md */
export async function gatewayStatus(
	{state, seat}: {readonly state: GatewayState; readonly seat: Seat},
	{
		store,
		jobs,
		live,
		receiver,
		servers,
		dispatcher,
	}: Pick<Rooms, 'dispatcher' | 'store' | 'jobs' | 'live' | 'receiver' | 'servers'>,
): Promise<GatewayStatus> {
	const {gateway, webhook, platforms, model, modelProblem, modelSilence, problems} = state;
	const [{active}, {toDecide}, queue, pendingGroups, {failing}] = await Promise.all([
		store.runs.counts(),
		store.runs.kept(),
		readRunQueue(store.runs, dispatcher.places),
		store.groups.pending(),
		store.health(),
	]);
	const views = jobs.views();
	const next = views.flatMap(({state: is, nextAt}) =>
		is === 'active' && nextAt !== undefined ? [nextAt] : [],
	);
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
		slips: statusSlips({
			config: live.current(),
			table: live.routes(),
			jobs: views,
			findJob: jobs.find,
			brokenJobs: jobs.brokenFiles(),
		}),
		config_problems: problems,
		restart_needed: restartNeeded(live.started(), live.current(), receiver.listensOn()),
		journal_failing: failing ?? null,
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
