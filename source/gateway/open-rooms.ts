import {modelInputs} from '../agent/choose-model.ts';
import {createModelFetch} from '../agent/model-fetch.ts';
import {createAuthorities} from '../config/authorities.ts';
import type {Config} from '../config/config.ts';
import {ensureHome} from '../config/home-paths.ts';
import {createConfigWatcher} from '../config/watch.ts';
import type {Broker} from '../core/broker.ts';
import {every} from '../core/clock.ts';
import type {Emit} from '../core/events.ts';
import type {Busy} from '../core/idle.ts';
import {createIdSource} from '../core/ids.ts';
import {withReserve} from '../store/reserve-file.ts';
import {openApi} from './chat/open-api.ts';
import {startControlServer, type ControlServer} from './control/control-server.ts';
import {lockHome, refuseAnswered} from './control/lock.ts';
import {createReplays} from './deliveries/replays.ts';
import {openJournal} from './history/open-journal.ts';
import {restoreHistory} from './history/restore-history.ts';
import {startRetention} from './history/retention.ts';
import {createLiveGroups} from './jobs/live-groups.ts';
import {createLiveJobs} from './jobs/live-jobs.ts';
import {createLiveConfig} from './live-config.ts';
import {createLiveModel} from './live-model.ts';
import {logConsole} from './logs/log-console.ts';
import {openLog} from './logs/open-log.ts';
import {openOwnMark} from './own-mark-key.ts';
import type {GatewayPort} from './port.ts';
import {openReceiver} from './receiver/open-receiver.ts';
import type {GatewayWorld, Rooms} from './rooms.ts';
import {createRunAnnouncer} from './runs/announce-runs.ts';
import {openLoopBreaker} from './runs/loop-breaker.ts';
import {openDeliverer} from './runs/open-deliverer.ts';
import {openWorkers} from './runs/open-workers.ts';
import {openTools} from './servers/open-tools.ts';
import {createServerSecrets, joinLists} from './servers/server-secrets.ts';
import {startHealth} from './status/health.ts';
import {createGatewayMetrics} from './status/metrics.ts';
import {warnOfLooseFiles} from './warn-of-loose-files.ts';

/** How often it is looked whether a file has changed that nobody told of. */
const catchUpMs = 30_000;

/**
 * Builds the rooms and joins them; nothing else happens here. What is created first is closed last, so the receiver closes first and the store
 * almost last.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openRooms(
	world: GatewayWorld,
	{broker, busy, port}: {readonly broker: Broker; readonly busy: Busy; readonly port: GatewayPort},
): Promise<Rooms> {
	const {clock, paths, environment, version} = world;
	await using stack = new AsyncDisposableStack();

	ensureHome(paths);
	const lock = stack.use(withReserve(paths.stateDb, () => lockHome(paths)));
	await refuseAnswered(paths);

	const metrics = createGatewayMetrics();
	const emit: Emit = event => {
		metrics.observe(event);
		broker.emit(event);
	};
	// Loading the configuration may already have something to say.
	let secrets: (() => readonly string[]) | undefined;
	const {log, redact} = stack.use(openLog(world, {emit, secrets: () => secrets?.() ?? []}));
	stack.use(logConsole({log: log.from('library'), clock}));
	const live = createLiveConfig(
		{paths, environment, clock, emit, log: log.from('config')},
		{onChange: async (next, previous) => onChange(next, previous)},
	);
	warnOfLooseFiles(live.current(), log);
	const config = () => live.current();
	secrets = joinLists(() => live.secrets(), createServerSecrets(config));

	const journal = await openJournal(world, {log});
	const store = stack.use(journal.store);
	let control: ControlServer | undefined;
	const watching = () => lock.watch({clock, log, whileHeld: async () => control?.keep()});
	// Nobody else has the home: only now it is said whose it is.
	stack.use(withReserve(paths.stateDb, watching));
	stack.use(await restoreHistory({store, emit, clock, log}));

	const authorities = createAuthorities(config, {log: log.from('config')});
	const modelFetch = stack.use(createModelFetch({secureContext: () => authorities.context()}));
	const model = stack.use(
		createLiveModel({
			config,
			clock,
			modelFetch,
			...(world.localServers && {localServers: world.localServers}),
			emit,
			redact,
			log: log.from('agent'),
		}),
	);
	const ownMark = await openOwnMark(paths.markKey, {log: log.from('delivery')});
	const deliverer = stack.use(openDeliverer(world, {live, ownMark, authorities, store, emit, log}));
	const reportPlatforms = () => {
		for (const platform of deliverer.platforms()) {
			emit({type: 'platform-changed', at: clock.now(), platform});
		}
	};

	const tools = stack.use(
		await openTools(world, {store, live, model, authorities, broker, emit, log, redact}),
	);
	const {approvals, servers} = tools;
	secrets = joinLists(secrets, servers.secrets);

	const announce = createRunAnnouncer({
		runs: store.runs,
		clock,
		emit,
		log,
		wake: () => dispatcher.wake(),
		onJobRun(job) {
			jobs.runChanged(job);
		},
	});
	const loops = await openLoopBreaker({clock, memos: store.memos, log, live});
	const dispatcher = stack.use(
		openWorkers(world, {
			live,
			runs: store.runs,
			model,
			deliverer,
			servers,
			approvals,
			busy,
			announce: runId => announce.changed(runId),
			emit,
			log,
			redact,
			keepAnswer: (run, answer) => jobs.keepAnswer(run, answer),
			loops,
		}),
	);
	const jobs = stack.use(
		createLiveJobs({
			clock,
			config,
			jobs: store.jobs,
			busy,
			emit,
			log: log.from('schedule'),
			onFired(runId) {
				void announce.queued(runId);
			},
		}),
	);

	stack.use(
		startRetention({clock, store, log: log.from('store')}, {retention: () => config().retention}),
	);
	control = stack.use(
		await startControlServer({port, version, log: log.from('gateway')}, {socket: paths.socket}),
	);
	const watcher = stack.use(
		createConfigWatcher({
			paths,
			clock,
			log: log.from('config'),
			onChange() {
				void live.reload();
			},
		}),
	);

	// Not every file system tells of changes, and nobody watches for new profiles.
	stack.defer(every(clock, catchUpMs, () => live.catchUp()));

	const groups = stack.use(
		createLiveGroups({
			clock,
			groups: store.groups,
			busy,
			emit,
			log: log.from('gateway'),
			onDispatched({runId}) {
				void (runId !== undefined && announce.queued(runId));
			},
		}),
	);
	const ids = createIdSource(clock, store.lastId);
	const receiver = stack.use(
		openReceiver({
			clock,
			live,
			ids,
			store,
			journalFailing: journal.failing,
			deliverer,
			loops,
			dispatcher,
			groups,
			jobs,
			announce,
			emit,
			log: log.from('webhook'),
			redact,
			ownMark,
			async metrics() {
				const [health, pendingGroups] = await Promise.all([store.health(), store.groups.pending()]);
				const {active} = dispatcher;
				const state = broker.getState();
				return metrics.render({state, journal: health, active, pendingGroups});
			},
			environment,
		}),
	);
	const joined = {live, store, model, dispatcher, emit, log, redact};
	const api = stack.use(await openApi(world, {...joined, ...tools, modelFetch, announce}));
	const replays = createReplays({store, receiver, live, model, deliverer});
	stack.use(startHealth({clock, emit, requests: () => receiver.current()?.stats()}));

	const onChange = async (next: Config, previous: Config) => {
		void tools.rulesChanged();
		if (modelInputs(next) !== modelInputs(previous)) {
			await model.choose();
		}

		reportPlatforms();
		await Promise.all([jobs.changed(), receiver.restart(), api.start(), servers.changed()]);
		// After the restart: it may have handed groups over, and the queue may have other bounds.
		dispatcher.wake();
	};

	live.routes();
	await Promise.all([receiver.start(), api.start()]);
	// They connect while the gateway serves; a run that needs them waits.
	void servers.changed();
	// Many jobs take their time, which senders need not wait for.
	await jobs.changed();
	reportPlatforms();
	dispatcher.wake();
	// Looking for model servers takes up to half a second; nothing waits for it.
	void model.choose();
	// What was written while nobody watched yet.
	void watcher.ready.then(() => live.catchUp());

	const all = stack.move();
	return {
		live,
		store,
		dispatcher,
		loops,
		receiver,
		replays,
		groups,
		jobs,
		servers,
		approvals,
		api,
		log,
		ids,
		emit,
		announce,
		async [Symbol.asyncDispose]() {
			log.info('The gateway is stopping', {active_runs: dispatcher.active});
			await all.disposeAsync();
		},
	};
}
