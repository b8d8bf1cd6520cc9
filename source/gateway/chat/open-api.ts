import {isDeepStrictEqual} from 'node:util';
import type {ModelFetch} from '../../agent/model-fetch.ts';
import {answerOffline} from '../../agent/offline-model.ts';
import type {ModelLimits} from '../../agent/providers.ts';
import type {ApiServer} from '../../api/api-server.ts';
import type {PublicModel} from '../../api/http/public-model.ts';
import type {KeyDesk} from '../../api/keys/desk.ts';
import {openKeyDesk} from '../../api/keys/key-desk.ts';
import type {ApiConfig} from '../../config/config.ts';
import {endOf} from '../../core/api-key.ts';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import type {ApiState} from '../../core/state.ts';
import type {World} from '../../core/world.ts';
import {createLiveListener, type LiveListener} from '../../http/live-listener.ts';
import {createSessionDesk} from '../../store/session-desk.ts';
import type {SharedApprovals} from '../cluster/share-approvals.ts';
import type {RoomWorld} from '../rooms.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';
import {createApiModels, type ApiModels, openTurns} from './api-upstream.ts';
import {createPersonChat} from './person-chat.ts';

/** The chat API and its keys. */
export type OpenedApi = Awaited<ReturnType<typeof openApi>>;

/** Opens the chat API and joins it with what answers its requests. Listens only after `start()`. */
export async function openApi(
	world: RoomWorld,
	options: Omit<Parameters<typeof openTurns>[1], 'announce' | 'approvals'> & {
		readonly modelFetch: Pick<ModelFetch, 'post'>;
		readonly approvals: SharedApprovals;
		readonly announce: Pick<RunAnnouncer, 'changed'>;
	},
) {
	const {modelFetch, announce, ...joined} = options;
	const {clock, live, store, emit} = world;
	const {model, approvals} = joined;
	const log = world.log.from('api');
	const turn = openTurns(world, {...joined, announce: async runId => announce.changed(runId)});
	await using stack = new AsyncDisposableStack();
	const config = () => live.current().api;
	const startedAt = clock.now();
	const models = createApiModels({clock, config: () => live.current(), model, modelFetch});
	const sessions = createSessionDesk({clock, sessions: store.sessions, leases: store.leases});
	let desk: KeyDesk | undefined;
	stack.defer(async () => desk?.[Symbol.asyncDispose]());
	const oneByOne = createMutex();
	const openKeys = async () =>
		openKeyDesk({
			...world,
			log,
			keys: store.keys,
			limits: store.limits.keys,
			events: store.events,
			onChange(changed, gone) {
				emit({type: 'keys-changed', at: clock.now(), keys: changed, gone});
			},
		});
	// Unreadable keys disable only the chat API, and are read again at each attempt to serve it.
	const keys = async () => oneByOne(async () => (desk ??= await openKeys()));
	await keys().catch((error: unknown) => log.error(messageOf(error)));
	const api = stack.use(
		createLiveApi({
			...world,
			log,
			config,
			onListening() {
				if (!desk?.list().some(key => endOf(key, clock.now()) === undefined)) {
					log.warn(
						'No key of the chat API is in force: it answers 401 until "svc keys create" makes one',
					);
				}
			},
			brokenBy: () => live.broken[0]?.message,
			async create({host, port}) {
				const opened = await keys();
				// Loaded only where the API is served.
				const [{createApiServer}, {endpointsOf}] = await Promise.all([
					import('../../api/api-server.ts'),
					import('../../api/endpoints.ts'),
				]);
				const endpoints = endpointsOf({
					...world,
					log,
					models: () => config().models,
					limitsOf: createApiLimits({clock, models}),
					startedAt,
					upstreamOf: async one => models.upstreamOf(one),
					turn,
					sessions,
					answerOffline,
					approvals,
				});
				return createApiServer({clock, log, keys: opened, endpoints, limits: config}, {host, port});
			},
		}),
	);
	const all = stack.move();
	const chat = createPersonChat({models: () => config().models, desk: sessions, turn});
	return {
		...api,
		/** @throws SvcError `keys_unreadable` */
		keys,
		sessions,
		chat,
		[Symbol.asyncDispose]: async () => all.disposeAsync(),
	};
}

type LiveApi = LiveListener<ApiServer>;

/** Serves the chat API as configured and reports its state. A refusal to listen leaves the rest of the gateway running. @see manual/chat-api.md#settings */
export function createLiveApi(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly config: () => ApiConfig;
		/** Why the whole configuration is unusable; `undefined` when it is usable. */
		readonly brokenBy: () => string | undefined;
		/** Makes a server for the host and port as configured now. */
		readonly create: (config: ApiConfig) => Promise<ApiServer>;
		readonly onListening?: () => void;
	},
): LiveApi {
	const {clock, emit, log, config, brokenBy, create, onListening} = world;
	let state: ApiState = {state: 'starting'};
	const report = (next: ApiState) => {
		if (!isDeepStrictEqual(next, state)) {
			state = next;
			emit({type: 'api-changed', at: clock.now(), api: next});
		}
	};

	const refuse = (code: string, reason: string) => {
		if (state.state !== 'refused' || state.reason !== reason) {
			log.error(`The chat API is not served (${code}): ${reason}`);
			report({state: 'refused', code, reason, since: clock.now()});
		}
	};

	const broken = () => brokenBy() ?? config().broken;
	return createLiveListener<ApiServer, ApiConfig>(world, {
		// While the configuration is broken, a running API goes on.
		mustClose: isServing => isServing && !config().enabled && broken() === undefined,
		wanted() {
			const api = config();
			const problem = broken();
			if (!api.enabled) {
				report({state: 'disabled'});
				return undefined;
			}

			if (problem !== undefined) {
				refuse('config_invalid', problem);
				return undefined;
			}

			return api;
		},
		create,
		onListening(url) {
			log.note(`The chat API listens on ${url}`);
			report({state: 'listening', url});
			onListening?.();
		},
		onRefused: refuse,
		onEnd: () => report({state: 'closed'}),
	});
}

/** How long the list of models waits for the models' servers, milliseconds. */
const waitMs = 1000;
/** Time limit of a request to a model's server, milliseconds. */
const askMs = 10_000;
const knownMs = 600_000;
/** A server that did not answer is asked again sooner. */
const unknownMs = 60_000;
const maxKnown = 200;

/** Returns the limits that models' servers report: cached, and never waited for longer than a second. Never rejects. */
function createApiLimits({
	clock,
	models,
}: {
	readonly clock: Clock;
	readonly models: Pick<ApiModels, 'choice'>;
}): (model: PublicModel) => Promise<ModelLimits> {
	const known = new Map<string, {until: number; readonly limits: Promise<ModelLimits>}>();

	const ask = async (model: PublicModel): Promise<ModelLimits> => {
		const choice = await models.choice(model);
		if (choice.host === undefined) {
			return {};
		}

		const name = `${choice.host} ${choice.view.name}`;
		const before = known.get(name);
		if (before && before.until > clock.monotonic()) {
			return before.limits;
		}

		if (known.size >= maxKnown) {
			known.clear();
		}

		const ending = new AbortController();
		const cancel = clock.after(askMs, () => ending.abort());
		const asking = choice.ask(ending.signal).finally(cancel);
		const entry = {
			until: clock.monotonic() + knownMs,
			limits: asking.then(answer => answer?.limits ?? {}),
		};
		known.set(name, entry);
		try {
			return await entry.limits;
		} catch (error) {
			entry.until = clock.monotonic() + unknownMs;
			throw error;
		}
	};

	return async model => {
		const {promise: tooLate, resolve} = Promise.withResolvers<ModelLimits>();
		const cancel = clock.after(waitMs, () => resolve({}));
		try {
			return await Promise.race([ask(model), tooLate]);
		} catch {
			// No server or no list: the limits are unknown.
			return {};
		} finally {
			cancel();
		}
	};
}
