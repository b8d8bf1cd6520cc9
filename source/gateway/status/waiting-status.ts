import type {GatewayState} from '../../core/state.ts';
import type {GatewayStatus} from '../port.ts';
import type {Seat} from '../rooms.ts';

/** The gateway in one object, while its store has never been open. */
export const waitingStatus = (
	{gateway, problems}: GatewayState,
	{reason, seat}: {readonly reason: string; readonly seat: Seat},
): GatewayStatus => ({
	pid: gateway.pid,
	version: gateway.version,
	home: gateway.home,
	profile: gateway.profile,
	seat,
	started_at: gateway.startedAt,
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
	config_problems: problems,
	restart_needed: [],
	journal_failing: reason,
	store: {kind: 'postgres', ok: false},
	cluster: {members: []},
});
