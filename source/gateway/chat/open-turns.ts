import {createOfflineModel, offlineModelName} from '../../agent/offline-model.ts';
import {createAgentRunner, type AgentRunnerDependencies} from '../../agent/run-agent.ts';
import type {AgentTurns} from '../../api/agent-turns.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {equipRun} from '../runs/equip-run.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {createApiTurns, type ApiTurnsDependencies} from './api-turns.ts';

/** Joins the agents of the chat API with the models, tools and approvals of the gateway's profile. */
export function openTurns(
	world: RoomWorld,
	{
		model,
		servers,
		...joined
	}: Pick<ApiTurnsDependencies, 'dispatcher' | 'announce'> & {
		readonly model: LiveModel;
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve' | 'watch' | 'runEnded'>;
	},
): AgentTurns {
	const {clock, live, emit, redact, paths, modelRetries} = world;
	const {approvals} = joined;
	const log = world.log.from('agent');
	const runner = (choose: AgentRunnerDependencies['model']) =>
		createAgentRunner(
			{clock, model: choose, approve: approvals.approve, redact, log},
			modelRetries === undefined ? {} : {maxRetries: modelRetries},
		);
	return createApiTurns({
		...joined,
		clock,
		runs: world.store.runs,
		agents: {live: runner(async name => model.current(name)), test: runner(async () => offline)},
		equip: async (run, options) =>
			equipRun(
				run,
				{
					clock,
					config: () => live.current(),
					environment: world.environment,
					servers,
					log,
					redact,
					isUnsigned: () => false,
					secureContext: () => world.authorities.context(),
				},
				options,
			),
		settings() {
			const {maxSteps, timeoutMs} = live.current().runs;
			return {maxSteps, timeoutMs};
		},
		profile: paths.profile,
		emit,
		log,
		redact,
	});
}

/** What answers keys of kind `test`, whatever is configured. */
const offline: Awaited<ReturnType<AgentRunnerDependencies['model']>> = {
	view: {provider: 'offline', name: offlineModelName, origin: 'the key is for tests'},
	load: async () => createOfflineModel(),
};
