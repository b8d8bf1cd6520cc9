import type {ModelFetch} from '../../agent/model-fetch.ts';
import {answerOffline} from '../../agent/offline-model.ts';
import type {KeyDesk} from '../../api/keys/desk.ts';
import {openKeyDesk} from '../../api/keys/key-desk.ts';
import {endOf} from '../../core/api-key.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import {createSessionDesk} from '../../store/session-desk.ts';
import type {SharedApprovals} from '../cluster/share-approvals.ts';
import type {RoomWorld} from '../rooms.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';
import {createApiLimits} from './api-limits.ts';
import {createApiModels} from './api-upstream.ts';
import {createLiveApi} from './live-api.ts';
import {openTurns} from './open-turns.ts';
import {createPersonChat} from './person-chat.ts';

/** The chat API and its keys. */
export type OpenedApi = Awaited<ReturnType<typeof openApi>>;

/** The chat API, joined with what answers in it. Nothing listens before `start()`. */
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
	// Keys that cannot be read take down the chat API alone, and are read again with each try to serve it.
	const keys = async () => oneByOne(async () => (desk ??= await openKeys()));
	await keys().catch((error: unknown) => {
		log.error(messageOf(error));
	});
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
		...api /** @throws SvcError `keys_unreadable` */,
		keys,
		sessions,
		chat,
		[Symbol.asyncDispose]: async () => all.disposeAsync(),
	};
}
