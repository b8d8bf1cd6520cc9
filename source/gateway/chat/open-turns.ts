import {createOfflineModel, offlineModelName} from '../../agent/offline-model.ts';
import type {AgentRunnerDependencies} from '../../agent/run-agent.ts';
import type {AgentTurns} from '../../api/agent-turns.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {createAgents} from '../runs/agents.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {createApiTurns, type ApiTurnsDependencies} from './api-turns.ts';

/** Joins the agents of the chat API with the models, tools and approvals of the gateway's profile. */
export function openTurns(
	world: RoomWorld,
	given: Pick<ApiTurnsDependencies, 'dispatcher' | 'announce'> & {
		readonly model: LiveModel;
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve' | 'watch' | 'runEnded'>;
	},
): AgentTurns {
	const {model, servers, ...joined} = given;
	const {live, paths, store} = world;
	const {approvals} = joined;
	const {runner, equip} = createAgents(world, {servers, approvals, isUnsigned: () => false});
	return createApiTurns({
		...world,
		...joined,
		log: world.log.from('agent'),
		runs: store.runs,
		agents: {live: runner(async name => model.current(name)), test: runner(async () => offline)},
		equip,
		settings() {
			const {maxSteps, timeoutMs} = live.current().runs;
			return {maxSteps, timeoutMs};
		},
		profile: paths.profile,
	});
}

/** What answers keys of kind `test`, whatever is configured. */
const offline: Awaited<ReturnType<AgentRunnerDependencies['model']>> = {
	view: {provider: 'offline', name: offlineModelName, origin: 'the key is for tests'},
	load: async () => createOfflineModel(),
};
