import {hostname} from 'node:os';
import {modelInputs} from '../agent/choose-model.ts';
import {createModelFetch} from '../agent/model-fetch.ts';
import type {Config} from '../config/config.ts';
import {every} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import {holdLease} from '../store/shared-port.ts';
import {type Alerts, openAlerts} from './alerts/open-alerts.ts';
import {openApi} from './chat/open-api.ts';
import {type SharedApprovals, shareApprovals} from './cluster/share-approvals.ts';
import {openConversations} from './conversations/open-conversations.ts';
import {createGrow, createSay} from './conversations/say-in-chat.ts';
import {tellChats} from './conversations/tell-chats.ts';
import {createReplays} from './deliveries/replays.ts';
import {restoreHistory} from './history/restore-history.ts';
import {createLiveModel} from './live-model.ts';
import type {OpenedIntake} from './open-intake.ts';
import type {RoomWorld} from './rooms.ts';
import {openWorkers} from './runs/open-workers.ts';
import {openTools} from './servers/open-tools.ts';
import {startHealth, readRunQueue, startCounts} from './status/health.ts';

/**
 * Opens the parts that work on accepted events and show the work: model, tools, workers, history from before the start, chat API. Connects them with the intake, which
 * already listens.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openWorks(intake: OpenedIntake, stack: AsyncDisposableStack) {
	const {world, deliverer, turns, loops, announce, jobs, receiver} = intake;
	const {clock, cluster, live, log, emit, store, authorities} = world;
	stack.use(await restoreHistory(world));
	const modelFetch = stack.use(createModelFetch({secureContext: () => authorities.context()}));
	const model = stack.use(
		createLiveModel({...world, config: live.current, modelFetch, log: log.from('agent')}),
	);
	const saying = stack.use(createSay(world, deliverer));
	let asked: SharedApprovals | undefined;
	// Opened before the parts that ask, and so disposed of after them: chats are also told how requests end.
	const telling = stack.use(
		tellChats(world, {
			...saying,
			approvals() {
				if (!asked) {
					throw new Error('Nothing can be asked before the approvals are open');
				}

				return asked;
			},
		}),
	);
	const tools = stack.use(await openTools(world, {model}));
	const {servers} = tools;
	const approvals = shareApprovals(tools.approvals, world);
	asked = approvals;
	const dispatcher = openWorkers(
		world,
		{
			model,
			deliverer,
			servers,
			approvals,
			announce: announce.changed,
			keepAnswer: (run, answer) => jobs.keepAnswer(run, answer),
			loops,
			turns,
			grow: createGrow(world, saying.say),
		},
		stack,
	);
	intake.dispatchTo(dispatcher);
	stack.use(
		startCounts(
			{clock, log: log.from('store')},
			{
				read: async () => readRunQueue(store.runs, dispatcher.places),
				tell: queue => emit({type: 'queue-counted', at: clock.now(), queue}),
				failure: 'Cannot count the runs that wait',
			},
		),
	);
	stack.use(startRetention({...world, log: log.from('store')}));

	const api = stack.use(
		await openApi(world, {model, modelFetch, servers, approvals, dispatcher, announce}),
	);
	const conversations = stack.use(
		openConversations(world, {
			deliverer,
			approvals,
			dispatcher,
			announce,
			telling,
			say: saying.say,
		}),
	);
	const replays = createReplays({store, receiver, live, model, deliverer});
	stack.use(startHealth({clock, emit, requests: () => receiver.current()?.stats()}));
	let reported: readonly string[] = [];
	const reportPlatforms = () => {
		const platforms = deliverer.platforms();
		const names = platforms.map(({name}) => name);
		const gone = reported.filter(name => !names.includes(name));
		reported = names;
		// A platform that is no longer configured must not keep its last state.
		const ended = gone.map(name => ({name, state: 'disabled' as const}));
		for (const platform of [...platforms, ...ended]) {
			emit({type: 'platform-changed', at: clock.now(), platform});
		}
	};

	await api.start();
	// Servers connect while the gateway serves; runs that need them wait.
	void servers.changed();
	// Many jobs take their time, which senders need not wait for.
	await jobs.changed();
	intake.shared?.onChange(kind => {
		if (kind === 'job') {
			void jobs.changed();
		} else {
			live.routes();
		}
	});
	reportPlatforms();
	deliverer.follow();
	// Connecting takes its time, and nothing waits for it.
	void conversations.changed();
	let alerts: Alerts | undefined;
	stack.use(
		await cluster.holdAlone('alerts', {
			async start(isHeld) {
				const opened = await openAlerts({
					...world,
					isHeld,
					deliverer,
					log: log.from('alerts'),
					host: cluster.isShared ? cluster.node : hostname(),
				});
				alerts = opened;
				return {
					async [Symbol.asyncDispose]() {
						alerts = undefined;
						opened[Symbol.dispose]();
					},
				};
			},
		}),
	);
	dispatcher.wake();
	// Looking for model servers takes up to half a second; nothing waits for it.
	void model.choose();

	return {
		rooms: {dispatcher, replays, servers, approvals, api},
		/** Applies a reloaded configuration. */
		async follow(next: Config, previous: Config): Promise<void> {
			alerts?.changed();
			cluster.changed();
			void tools.rulesChanged();
			if (modelInputs(next) !== modelInputs(previous)) {
				await model.choose();
			}

			reportPlatforms();
			deliverer.follow();
			void conversations.changed();
			await Promise.all([jobs.changed(), receiver.start(), api.start(), servers.changed()]);
			// After the receiver's restart: it may have dispatched groups, and the queue may have other limits.
			dispatcher.wake();
		},
	};
}

/** Pause between two removals of old deliveries, milliseconds. */
const purgeMs = 10 * 60_000;

/** Deletes what the retention no longer keeps every ten minutes until disposed of, unless another gateway on the store does. */
function startRetention({
	clock,
	store,
	live,
	log,
}: Pick<RoomWorld, 'clock' | 'live' | 'log' | 'store'>): Disposable {
	const stop = every(clock, purgeMs, async () => {
		const bounds = live.current().retention;
		if (!bounds) {
			return;
		}

		try {
			await using lease = await holdLease(store.leases('retention'), clock);
			if (!lease) {
				return;
			}

			const {bodies, rows} = await store.journal.purge(bounds, lease.lost);
			if (bodies + rows > 0) {
				log.info('Old deliveries were removed', {bodies, rows});
			}
		} catch (error) {
			log.warn('Cannot remove old deliveries, trying again later', {error: messageOf(error)});
		}
	});
	return {[Symbol.dispose]: stop};
}
