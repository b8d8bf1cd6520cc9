import {modelInputs, type ModelChoice} from '../../agent/choose-model.ts';
import type {ModelFetch} from '../../agent/model-fetch.ts';
import {createOfflineModel, offlineModelName} from '../../agent/offline-model.ts';
import type {AgentRunnerDependencies} from '../../agent/run-agent.ts';
import type {AgentTurns} from '../../api/agent-turns.ts';
import type {PublicModel} from '../../api/http/public-model.ts';
import type {Upstream} from '../../api/relay/upstream.ts';
import type {Config} from '../../config/config.ts';
import type {Clock} from '../../core/clock.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {createAgents} from '../runs/open-workers.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {createApiTurns, type ApiTurnsDependencies} from './api-turns.ts';

/** How long the choice of a model named explicitly is reused: servers on this machine start and stop. */
const chosenMs = 30_000;

/** Maps public models to the models that answer. */
export type ApiModels = ReturnType<typeof createApiModels>;

/** Chooses the model of each request; recent choices are cached. */
export function createApiModels(world: {
	readonly clock: Clock;
	readonly config: () => Config;
	readonly model: Pick<LiveModel, 'current'>;
	readonly modelFetch: Pick<ModelFetch, 'post'>;
}) {
	const {clock, config, model: live, modelFetch} = world;
	let chosenFrom: Config | undefined;
	let inputs = '';
	const chosen = new Map<string, {readonly at: number; readonly choice: Promise<ModelChoice>}>();

	const forgetOthers = () => {
		const now = config();
		if (now === chosenFrom) {
			return;
		}

		const next = modelInputs(now);
		chosenFrom = now;
		if (next !== inputs) {
			inputs = next;
			chosen.clear();
		}
	};

	const choice = async (name: string): Promise<ModelChoice> => {
		forgetOthers();
		const now = clock.monotonic();
		const known = chosen.get(name);
		if (known && now - known.at < chosenMs) {
			return known.choice;
		}

		const found = live.current(name);
		chosen.set(name, {at: now, choice: found});
		try {
			return await found;
		} catch (error) {
			chosen.delete(name);
			throw error;
		}
	};

	const choose = async ({name}: PublicModel) =>
		name === undefined ? live.current() : choice(name);
	return {
		/** Rejects with the `SvcError` of the choice of a model. */
		choice: choose,
		/** `undefined` for the offline model. */
		async upstreamOf(model: PublicModel): Promise<Upstream | undefined> {
			const {chatAddress} = await choose(model);
			return (
				chatAddress && {
					...chatAddress,
					post: async (url, question) => modelFetch.post(url, question),
				}
			);
		},
	};
}

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

/** The model that answers keys of kind `test`, whatever is configured. */
const offline: Awaited<ReturnType<AgentRunnerDependencies['model']>> = {
	view: {provider: 'offline', name: offlineModelName, origin: 'the key is for tests'},
	load: async () => createOfflineModel(),
};
