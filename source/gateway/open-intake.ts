import {createAuthorities} from '../config/authorities.ts';
import type {Config} from '../config/config.ts';
import {ensureHome} from '../config/home-paths.ts';
import {looseFiles} from '../config/loose-files.ts';
import type {PlatformView} from '../core/config-view.ts';
import type {Emit} from '../core/events.ts';
import {createIdSource} from '../core/ids.ts';
import type {Logger} from '../core/log.ts';
import {createSecretList} from '../core/redact.ts';
import {createDeliverer} from '../delivery/create-deliverer.ts';
import {withReserve} from '../store/database-file.ts';
import {openOwnMark} from './authorship-key.ts';
import {followOthers} from './cluster/follow-others.ts';
import {type GatewayCluster, openCluster} from './cluster/open-cluster.ts';
import {openGatewayStore, sharesStore} from './cluster/open-gateway-store.ts';
import {startControlServer, type ControlServer} from './control/control-server.ts';
import {lockHome, refuseAnswered} from './control/lock.ts';
import {createMirror} from './conversations/say-in-chat.ts';
import {createSessionTurns} from './conversations/session-turns.ts';
import {shareGatewayHome} from './documents/open-shared.ts';
import {createLiveGroups} from './jobs/live-groups.ts';
import {createLiveJobs} from './jobs/live-jobs.ts';
import {createLiveConfig} from './live-config.ts';
import {logConsole, openLog} from './logs/open-log.ts';
import type {GatewayPort} from './port.ts';
import {openReceiver} from './receiver/open-receiver.ts';
import type {GatewayWorld, RoomWorld, StoreWait} from './rooms.ts';
import {createRunAnnouncer} from './runs/announce-runs.ts';
import type {Dispatcher} from './runs/dispatch.ts';
import {openLoopBreaker} from './runs/loop-breaker.ts';
import {readRunQueue} from './status/health.ts';
import {createGatewayMetrics} from './status/metrics.ts';

/** The parts that decide about requests. */
export type OpenedIntake = Awaited<ReturnType<typeof openIntake>>;

/**
 * Opens the parts that decide how requests are answered: the home, the configuration, the journal, groups and jobs, and the receiver, which does not listen yet. Nothing
 * else is loaded, so that senders wait for nothing else. Parts that bring in work go to `front`, which closes first; the others to `stack`.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openIntake(
	given: GatewayWorld & Pick<RoomWorld, 'broker' | 'busy'>,
	options: StoreWait & {
		readonly port: GatewayPort;
		readonly stack: AsyncDisposableStack;
		readonly front: AsyncDisposableStack;
		/** Called after a reload that changed something. */
		readonly onChange: (next: Config, previous: Config) => Promise<void>;
	},
) {
	const {port, stack, front, onChange, onWaiting, ending} = options;
	const {clock, environment, version, broker} = given;
	ensureHome(given.paths);
	const lock = stack.use(withReserve(given.paths.stateDb, () => lockHome(given.paths)));
	await refuseAnswered(given.paths);

	const metrics = createGatewayMetrics();
	let cluster: GatewayCluster | undefined;
	const emit: Emit = event => {
		metrics.observe(event);
		broker.emit(event);
		cluster?.tell?.(event);
	};
	// Loading the configuration may already log something.
	const secrets = createSecretList();
	const {log, redact} = stack.use(openLog(given, {emit, secrets: secrets.all}));
	stack.use(logConsole({log: log.from('library'), clock}));
	const shared = await shareGatewayHome({...given, log: log.from('config')});
	const {paths} = stack.use(shared ?? {...given, async [Symbol.asyncDispose]() {}});
	const live = createLiveConfig(
		{paths, environment, clock, emit, log: log.from('config')},
		{onChange, onSecrets: secrets.part()},
	);
	warnOfLooseFiles(live.current(), log);
	const config = () => live.current();

	let control: ControlServer | undefined;
	const openControl = async () => {
		const watching = () => lock.watch({clock, log, whileHeld: async () => control?.keep()});
		// Only now that this process holds the home may it write the pid file.
		stack.use(withReserve(paths.stateDb, watching));
		// Opened before anything listens, so that a command issued once /health answers finds the gateway and waits for its other rooms.
		control = front.use(
			await startControlServer({port, version, log: log.from('gateway')}, {socket: paths.socket}),
		);
	};

	const isShared = sharesStore(live);
	// The store may be unreachable if it is shared: clients of the control API must be able to learn that.
	if (isShared) {
		await openControl();
	}

	if (isShared) {
		broker.emit({type: 'cluster-changed', at: clock.now(), members: []});
	}

	const {store, taken, node, failing} = await openGatewayStore(
		{...given, emit, log: log.from('store'), live},
		{onWaiting, ending},
	);
	stack.use(store);
	// Disposed of before the store closes: reading documents from a closed store would never end.
	stack.defer(async () => shared?.[Symbol.asyncDispose]());
	await shared?.begin(store, config);
	await (isShared || openControl());
	const authorities = createAuthorities(config, {log: log.from('config')});
	cluster = stack.use(
		openCluster(
			{clock, log: log.from('cluster'), store, broker, live, version},
			{isShared, node, ending, onWaiting, sealer: () => shared?.sealer()},
		),
	);
	const world: RoomWorld = {
		...given,
		paths,
		emit,
		log,
		redact,
		secrets,
		live,
		store,
		cluster,
		failing,
		taken,
		authorities,
	};

	const failedPlatforms = new Set<string>();
	/** Logs a platform's failure once, and its recovery once. */
	const tellOfPlatform = ({name, state, reason = ''}: PlatformView) => {
		const said = log.from('delivery');
		if (state === 'failed' && !failedPlatforms.has(name)) {
			failedPlatforms.add(name);
			said.warn(`Platform ${name} has failed: ${reason}`);
		} else if (state === 'connected' && failedPlatforms.delete(name)) {
			said.info(`Platform ${name} is back`);
		}
	};

	const ownMark = await openOwnMark(paths.markKey, {log: log.from('delivery')});
	const turns = createSessionTurns({clock, store});
	const deliverer = stack.use(
		createDeliverer({
			clock,
			log: log.from('delivery'),
			config,
			environment: () => environment,
			sign: ownMark.sign,
			secureContext: () => authorities.context(),
			memos: store.memos,
			mirror: createMirror(world, turns),
			hide: secret => live.hide(secret),
			onPlatformChanged(platform) {
				emit({type: 'platform-changed', at: clock.now(), platform});
				tellOfPlatform(platform);
			},
		}),
	);
	const loops = await openLoopBreaker(world);
	let dispatcher: Dispatcher | undefined;
	const announce = createRunAnnouncer({
		...world,
		runs: store.runs,
		wake: () => dispatcher?.wake(),
		onJobRun: job => jobs.runChanged(job),
	});
	const jobs = front.use(
		createLiveJobs(world, {
			onFired(runId) {
				void announce.queued(runId);
			},
		}),
	);
	const groups = front.use(
		createLiveGroups({
			...world,
			groups: store.groups,
			log: log.from('gateway'),
			onDispatched({runId}) {
				void (runId !== undefined && announce.queued(runId));
			},
		}),
	);
	const ids = createIdSource(clock, store.lastId, store.share);
	followOthers(world, {announce, jobs, groups, wake: () => dispatcher?.wake()});
	const receiver = front.use(
		openReceiver(world, {
			ids,
			journalFailing: world.failing,
			deliverer,
			loops,
			wake: () => dispatcher?.wake(),
			groups,
			jobs,
			announce,
			ownMark,
			async metrics() {
				const [health, queue, pendingGroups] = await Promise.all([
					store.health(),
					readRunQueue(store.runs, dispatcher?.places ?? {taken: 0, all: 0}),
					store.groups.pending(),
				]);
				const active = dispatcher?.active ?? 0;
				return metrics.render({
					state: broker.getState(),
					now: clock.now(),
					journal: health,
					queue,
					active,
					pendingGroups,
				});
			},
		}),
	);

	// Before the receiver closes, since it then checks who dispatches the groups.
	front.defer(async () => world.cluster.leave());

	return {
		world,
		deliverer,
		turns,
		loops,
		announce,
		jobs,
		groups,
		ids,
		receiver,
		/** What other gateways may change of this home's documents. */
		shared,
		/** Has the dispatcher work on accepted runs from now on. */
		dispatchTo(opened: Dispatcher) {
			dispatcher = opened;
		},
	};
}

/** Warns of files of the home and of the other profiles that other users can read. */
function warnOfLooseFiles({paths, profiles}: Config, log: Logger): void {
	for (const warning of [paths, ...profiles.others.map(other => other.paths)].flatMap(looseFiles)) {
		log.warn(warning);
	}
}
