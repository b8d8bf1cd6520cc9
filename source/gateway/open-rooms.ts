import {modelInputs} from '../agent/choose-model.ts';
import {createModelFetch} from '../agent/model-fetch.ts';
import type {Config} from '../config/config.ts';
import {ensureHome} from '../config/home-paths.ts';
import {looseFiles} from '../config/loose-files.ts';
import {createConfigWatcher} from '../config/watch.ts';
import type {Broker} from '../core/broker.ts';
import {every} from '../core/clock.ts';
import type {Emit} from '../core/events.ts';
import type {Busy} from '../core/idle.ts';
import {createIdSource} from '../core/ids.ts';
import {createLogger} from '../core/log.ts';
import {createRedact} from '../core/redact.ts';
import {createDeliverer} from '../delivery/create-deliverer.ts';
import {openSqliteStore} from '../store/open-sqlite-store.ts';
import {withReserve} from '../store/reserve-file.ts';
import {createRunAnnouncer} from './announce-runs.ts';
import {startControlServer} from './control-server.ts';
import {startHealth} from './health.ts';
import {createLiveConfig} from './live-config.ts';
import {createLiveGroups} from './live-groups.ts';
import {createLiveJobs} from './live-jobs.ts';
import {createLiveModel} from './live-model.ts';
import {lockHome} from './lock.ts';
import {createLogFile} from './log-file.ts';
import {createGatewayMetrics} from './metrics.ts';
import {openReceiver} from './open-receiver.ts';
import {openWorkers} from './open-workers.ts';
import type {GatewayPort} from './port.ts';
import {createReplays} from './replays.ts';
import {restoreHistory} from './restore-history.ts';
import {startRetention} from './retention.ts';
import type {GatewayWorld, Rooms} from './rooms.ts';

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
	stack.use(withReserve(paths.stateDb, () => lockHome(paths)));

	const metrics = createGatewayMetrics();
	const emit: Emit = event => {
		metrics.observe(event);
		broker.emit(event);
	};
	const logFile = stack.use(createLogFile(paths.gatewayLog));
	// Loading the configuration may already have something to say.
	let secrets: (() => readonly string[]) | undefined;
	const redact = createRedact(() => secrets?.() ?? []);
	const log = createLogger({
		clock,
		redact,
		write(record) {
			logFile.write(record);
			world.onLog?.(record);
			emit({type: 'log-written', at: record.at, record});
		},
	});

	const live = createLiveConfig(
		{paths, environment, clock, emit, log: log.from('config')},
		{onChange: async (next, previous) => onChange(next, previous)},
	);
	secrets = () => live.secrets();
	const {others} = live.current().profiles;
	for (const warning of [paths, ...others.map(other => other.paths)].flatMap(looseFiles)) {
		log.warn(warning);
	}

	const config = () => live.current();

	const store = stack.use(
		await openSqliteStore(
			{clock, log: log.from('store')},
			{
				file: paths.stateDb,
				...(world.journalPages !== undefined && {maxPages: world.journalPages}),
			},
		),
	);
	await restoreHistory({store, emit, clock, log});

	const modelFetch = stack.use(createModelFetch());
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
	const deliverer = stack.use(
		createDeliverer({
			clock,
			log: log.from('delivery'),
			config,
			environment: () => environment,
			onPlatformChanged(platform) {
				emit({type: 'platform-changed', at: clock.now(), platform});
			},
		}),
	);
	const reportPlatforms = () => {
		for (const platform of deliverer.platforms()) {
			emit({type: 'platform-changed', at: clock.now(), platform});
		}
	};

	const announce = createRunAnnouncer({
		runs: store.runs,
		clock,
		emit,
		log,
		wake() {
			dispatcher.wake();
		},
		onJobRun(job) {
			jobs.runChanged(job);
		},
	});
	const dispatcher = stack.use(
		openWorkers(world, {
			live,
			runs: store.runs,
			model,
			deliverer,
			busy,
			announce: runId => announce.changed(runId),
			emit,
			log,
			redact,
			keepAnswer: (run, answer) => jobs.keepAnswer(run, answer),
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
	stack.use(
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
			deliverer,
			dispatcher,
			groups,
			jobs,
			announce,
			emit,
			log: log.from('webhook'),
			redact,
			metrics: () =>
				metrics.render({
					state: broker.getState(),
					journal: store.health(),
					active: dispatcher.active,
					pendingGroups: store.groups.pending(),
				}),
			environment,
		}),
	);
	const replays = createReplays({journal: store.journal, receiver: () => receiver.current()});
	stack.use(startHealth({clock, emit, requests: () => receiver.current()?.stats()}));

	const onChange = async (next: Config, previous: Config) => {
		if (modelInputs(next) !== modelInputs(previous)) {
			await model.choose();
		}

		reportPlatforms();
		await Promise.all([jobs.changed(), receiver.restart()]);
		// After the restart: it may have handed groups over, and the queue may have other bounds.
		dispatcher.wake();
	};

	live.routes();
	await receiver.start();
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
		receiver,
		replays,
		groups,
		jobs,
		ids,
		emit,
		announce,
		async [Symbol.asyncDispose]() {
			log.info('The gateway is stopping', {active_runs: dispatcher.active});
			await all.disposeAsync();
		},
	};
}
