import {modelInputs} from '../agent/choose-model.ts';
import {isPassing} from '../agent/model-errors.ts';
import {createModelFetch} from '../agent/model-fetch.ts';
import {createAgentRunner} from '../agent/run-agent.ts';
import type {Config} from '../config/config.ts';
import {ensureHome} from '../config/home-paths.ts';
import {looseFiles} from '../config/loose-files.ts';
import {createConfigWatcher} from '../config/watch.ts';
import type {Broker} from '../core/broker.ts';
import type {Busy} from '../core/idle.ts';
import {createIdSource} from '../core/ids.ts';
import {createLogger} from '../core/log.ts';
import {createRedact} from '../core/redact.ts';
import {createDeliverer} from '../delivery/create-deliverer.ts';
import {isRetryable} from '../delivery/delivery-error.ts';
import {nextTry} from '../delivery/retry-plan.ts';
import {openSqliteStore} from '../store/open-sqlite-store.ts';
import {createReceiver} from '../webhook/receiver.ts';
import {startControlServer} from './control-server.ts';
import {createDispatcher} from './dispatch.ts';
import {equipRun} from './equip-run.ts';
import {startHealth} from './health.ts';
import {createLiveConfig} from './live-config.ts';
import {createLiveModel} from './live-model.ts';
import {createLiveReceiver} from './live-receiver.ts';
import {lockHome} from './lock.ts';
import {createLogFile} from './log-file.ts';
import {gatewayMetrics} from './metrics.ts';
import type {GatewayPort} from './port.ts';
import {createReplays} from './replays.ts';
import {restoreHistory} from './restore-history.ts';
import {startRetention} from './retention.ts';
import type {GatewayWorld, Rooms} from './rooms.ts';
import {announceRun, workRun} from './work-run.ts';

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
	const {clock, paths, environment, version, random = Math.random} = world;
	await using stack = new AsyncDisposableStack();

	ensureHome(paths);
	stack.use(lockHome(paths));

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
			broker.emit({type: 'log-written', at: record.at, record});
		},
	});
	const {emit} = broker;

	const live = createLiveConfig(
		{paths, environment, clock, emit, log: log.from('config')},
		{onChange: async (next, previous) => onChange(next, previous)},
	);
	secrets = () => live.secrets();
	for (const warning of looseFiles(paths)) {
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
	const agent = createAgentRunner(
		{clock, model: () => model.current(), redact, log: log.from('agent')},
		world.modelRetries === undefined ? {} : {maxRetries: world.modelRetries},
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

	const dispatcher = stack.use(
		createDispatcher(
			{
				clock,
				runs: store.runs,
				busy,
				log: log.from('gateway'),
				work: (lease, signal) =>
					workRun(
						{
							clock,
							runs: store.runs,
							agent,
							deliverer,
							emit,
							log: log.from('agent'),
							redact,
							equip: run => equipRun(run, {skillsDir: paths.skills, log: log.from('agent')}),
							settings: () => config().runs,
							isPassing,
							isRetryable,
							backoffMs: (attempt, tries) => nextTry(attempt, {tries, random}),
						},
						lease,
						signal,
					),
			},
			// A configuration that cannot be read must not decide where answers go.
			{concurrency: () => (live.broken.length > 0 ? 0 : config().runs.concurrency)},
		),
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

	const ids = createIdSource(clock, store.lastId);
	const receiver = stack.use(
		createLiveReceiver({
			clock,
			emit,
			log: log.from('webhook'),
			config: () => config().webhook,
			brokenBy: () => live.broken[0]?.message,
			create: webhook =>
				createReceiver(
					{
						clock,
						ids,
						intake: store.intake,
						routes: () => live.routes(),
						deliverDirect: (message, signal) => deliverer.deliver(message, signal),
						onAccepted() {
							dispatcher.wake();
						},
						emit,
						log: log.from('webhook'),
						redact,
						metrics: () =>
							gatewayMetrics(broker.getState(), {
								health: store.health(),
								active: dispatcher.active,
							}),
						environment: () => environment,
					},
					{
						host: webhook.host,
						port: webhook.port,
						home: paths.home,
						scripts: paths.scripts,
						maxQueued: () => config().runs.maxQueued,
					},
				),
		}),
	);
	const replays = createReplays({journal: store.journal, receiver: () => receiver.current()});
	stack.use(startHealth({clock, emit, requests: () => receiver.current()?.stats()}));

	const onChange = async (next: Config, previous: Config) => {
		if (modelInputs(next) !== modelInputs(previous)) {
			await model.choose();
		}

		reportPlatforms();
		dispatcher.wake();
		await receiver.restart();
	};

	live.routes();
	await receiver.start();
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
		announce: id => announceRun({runs: store.runs, clock, emit, log}, id),
		async [Symbol.asyncDispose]() {
			log.info('The gateway is stopping', {active_runs: dispatcher.active});
			await all.disposeAsync();
		},
	};
}
