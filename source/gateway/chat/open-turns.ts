import {createOfflineModel, offlineModelName} from '../../agent/offline-model.ts';
import {createAgentRunner, type AgentRunnerDependencies} from '../../agent/run-agent.ts';
import type {AgentTurns} from '../../api/agent-turns.ts';
import type {Emit} from '../../core/events.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {Store} from '../../store/port.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveConfig} from '../live-config.ts';
import type {LiveModel} from '../live-model.ts';
import type {GatewayWorld} from '../rooms.ts';
import {equipRun} from '../runs/equip-run.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {createApiTurns, type ApiTurnsDependencies} from './api-turns.ts';

/** Joins the agents of the chat API with the models, tools and approvals of the gateway's profile. */
export function openTurns(
	{clock, paths, modelRetries}: Pick<GatewayWorld, 'clock' | 'paths' | 'modelRetries'>,
	{
		live,
		store,
		model,
		servers,
		approvals,
		dispatcher,
		announce,
		emit,
		log: logs,
		redact,
	}: Pick<ApiTurnsDependencies, 'dispatcher' | 'announce'> & {
		readonly live: LiveConfig;
		readonly store: Store;
		readonly model: LiveModel;
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve' | 'watch' | 'runEnded'>;
		readonly emit: Emit;
		readonly log: Logger;
		readonly redact: Redact;
	},
): AgentTurns {
	const log = logs.from('agent');
	const runner = (choose: AgentRunnerDependencies['model']) =>
		createAgentRunner(
			{clock, model: choose, approve: approvals.approve, redact, log},
			modelRetries === undefined ? {} : {maxRetries: modelRetries},
		);
	const {profile} = paths;
	return createApiTurns({
		clock,
		runs: store.runs,
		dispatcher,
		announce,
		agents: {live: runner(async name => model.current(name)), test: runner(async () => offline)},
		equip: async (run, signal, note) =>
			equipRun(run, {
				skillsDir: live.current().profiles.of(run.profile).paths.skills,
				servers,
				log,
				signal,
				note,
			}),
		settings() {
			const {maxSteps, timeoutMs} = live.current().runs;
			return {maxSteps, timeoutMs};
		},
		profile,
		approvals,
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
