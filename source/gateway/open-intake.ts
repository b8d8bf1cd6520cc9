import {createAuthorities} from '../config/authorities.ts';
import type {Config} from '../config/config.ts';
import {ensureHome} from '../config/home-paths.ts';
import type {Broker} from '../core/broker.ts';
import type {Emit} from '../core/events.ts';
import type {Busy} from '../core/idle.ts';
import {createIdSource} from '../core/ids.ts';
import {withReserve} from '../store/reserve-file.ts';
import {startControlServer, type ControlServer} from './control/control-server.ts';
import {lockHome, refuseAnswered} from './control/lock.ts';
import {openJournal} from './history/open-journal.ts';
import {createLiveGroups} from './jobs/live-groups.ts';
import {createLiveJobs} from './jobs/live-jobs.ts';
import {createLiveConfig} from './live-config.ts';
import {logConsole} from './logs/log-console.ts';
import {openLog} from './logs/open-log.ts';
import {openOwnMark} from './own-mark-key.ts';
import type {GatewayPort} from './port.ts';
import {openReceiver} from './receiver/open-receiver.ts';
import type {GatewayWorld} from './rooms.ts';
import {createRunAnnouncer} from './runs/announce-runs.ts';
import type {Dispatcher} from './runs/dispatch.ts';
import {openLoopBreaker} from './runs/loop-breaker.ts';
import {openDeliverer} from './runs/open-deliverer.ts';
import {createServerSecrets, joinLists} from './servers/server-secrets.ts';
import {createGatewayMetrics} from './status/metrics.ts';
import {warnOfLooseFiles} from './warn-of-loose-files.ts';

/** What decides about requests, and what they are decided by. */
export type Intake = Awaited<ReturnType<typeof openIntake>>;

/**
 * Opens all that a request is decided by: the home, the configuration, the journal, groups and jobs, and the receiver, which does not listen yet. Nothing else is loaded for it, so that
 * senders wait for nothing else. What brings in work goes to `front`, which is to be closed first; the rest to `stack`.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openIntake(
	world: GatewayWorld,
	{
		broker,
		busy,
		port,
		stack,
		front,
		onChange,
	}: {
		readonly broker: Broker;
		readonly busy: Busy;
		readonly port: GatewayPort;
		readonly stack: AsyncDisposableStack;
		readonly front: AsyncDisposableStack;
		/** After a reload that changed something. */
		readonly onChange: (next: Config, previous: Config) => Promise<void>;
	},
) {
	const {clock, paths, environment, version} = world;
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
		{onChange},
	);
	warnOfLooseFiles(live.current(), log);
	const config = () => live.current();
	const configured = joinLists(() => live.secrets(), createServerSecrets(config));
	secrets = configured;

	const journal = await openJournal(world, {log});
	const store = stack.use(journal.store);
	let control: ControlServer | undefined;
	const watching = () => lock.watch({clock, log, whileHeld: async () => control?.keep()});
	// Nobody else has the home: only now the pid file names this process.
	stack.use(withReserve(paths.stateDb, watching));
	// Before anything listens: a command that is called once /health answers finds the gateway, and waits for the rest of its rooms.
	control = front.use(
		await startControlServer({port, version, log: log.from('gateway')}, {socket: paths.socket}),
	);

	const authorities = createAuthorities(config, {log: log.from('config')});
	const ownMark = await openOwnMark(paths.markKey, {log: log.from('delivery')});
	const deliverer = stack.use(openDeliverer(world, {live, ownMark, authorities, store, emit, log}));
	const loops = await openLoopBreaker({clock, memos: store.memos, log, live});
	let dispatcher: Dispatcher | undefined;
	const announce = createRunAnnouncer({
		runs: store.runs,
		clock,
		emit,
		log,
		wake: () => dispatcher?.wake(),
		onJobRun(job) {
			jobs.runChanged(job);
		},
	});
	const jobs = front.use(
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
	const groups = front.use(
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
	const receiver = front.use(
		openReceiver({
			clock,
			live,
			ids,
			store,
			journalFailing: journal.failing,
			deliverer,
			loops,
			wake: () => dispatcher?.wake(),
			groups,
			jobs,
			announce,
			emit,
			log: log.from('webhook'),
			redact,
			ownMark,
			async metrics() {
				const [health, pendingGroups] = await Promise.all([store.health(), store.groups.pending()]);
				const active = dispatcher?.active ?? 0;
				return metrics.render({state: broker.getState(), journal: health, active, pendingGroups});
			},
			environment,
		}),
	);

	return {
		live,
		log,
		redact,
		emit,
		store,
		authorities,
		deliverer,
		loops,
		announce,
		jobs,
		groups,
		ids,
		receiver,
		/** From now on runs that were accepted are worked on. */
		dispatchTo(opened: Dispatcher) {
			dispatcher = opened;
		},
		/** Has the log hide these, too. */
		hide(more: () => readonly string[]) {
			secrets = joinLists(configured, more);
		},
	};
}
