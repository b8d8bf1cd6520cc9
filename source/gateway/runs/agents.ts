import {createAgentRunner, type AgentRunnerDependencies} from '../../agent/run-agent.ts';
import type {AgentRunner} from '../../agent/runner.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {RoomWorld} from '../rooms.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {equipRun, type EquipWorld} from './equip-run.ts';
import type {WorkDependencies} from './work-run.ts';

/** The agents of a gateway, and what their runs are equipped with. */
export function createAgents(
	world: RoomWorld,
	parts: {
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve'>;
		readonly isUnsigned: EquipWorld['isUnsigned'];
	},
) {
	const {authorities, live, modelRetries} = world;
	const agentWorld = {
		...world,
		...parts,
		log: world.log.from('agent'),
		config: () => live.current(),
		secureContext: () => authorities.context(),
	};
	const {approve} = parts.approvals;
	return {
		/** An agent whose model `model` chooses. */
		runner: (model: AgentRunnerDependencies['model']): AgentRunner =>
			createAgentRunner(
				{...agentWorld, model, approve},
				modelRetries === undefined ? {} : {maxRetries: modelRetries},
			),
		equip: (async (run, options) =>
			equipRun(run, agentWorld, options)) satisfies WorkDependencies['equip'],
	};
}
