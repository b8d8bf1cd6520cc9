import type {Authorities} from '../config/authorities.ts';
import type {HomePaths} from '../config/config.ts';
import type {Environment} from '../config/environment.ts';
import type {Clock} from '../core/clock.ts';
import type {LogRecord} from '../core/log.ts';
import type {SecretList} from '../core/redact.ts';
import type {Broker} from '../core/reduce.ts';
import type {World} from '../core/world.ts';
import type {Deliverer} from '../delivery/deliverer.ts';
import type {Store} from '../store/port.ts';
import type {TakenOver} from '../store/shared-port.ts';
import type {OpenedApi} from './chat/open-api.ts';
import type {GatewayCluster} from './cluster/open-cluster.ts';
import type {SharedApprovals} from './cluster/share-approvals.ts';
import type {Replays} from './deliveries/replays.ts';
import type {LiveGroups} from './jobs/live-groups.ts';
import type {LiveJobs} from './jobs/live-jobs.ts';
import type {LiveConfig} from './live-config.ts';
import type {GatewayStatus} from './port.ts';
import type {LiveReceiver} from './receiver/open-receiver.ts';
import type {RunAnnouncer} from './runs/announce-runs.ts';
import type {Dispatcher} from './runs/dispatch.ts';
import type {LoopBreaker} from './runs/loop-breaker.ts';
import type {LiveServers} from './servers/live-servers.ts';

/** Whether a gateway runs in the process of an interface, as a program in the foreground, or in the background. */
export type Seat = NonNullable<GatewayStatus['seat']>;

/** What a gateway is made of and lives in. */
export type GatewayWorld = {
	readonly clock: Clock;
	readonly paths: HomePaths;
	/** The process's environment, without the profile's `.env`. */
	readonly environment: Environment;
	readonly version: string;
	/** The seat at the start; an interface may leave. */
	readonly seat?: Seat;
	/** Receives every log record, as the log file does. */
	readonly onLog?: (record: LogRecord) => void;
	/** Where to look for model servers on this machine; the usual places when absent. */
	readonly localServers?: readonly string[];
	/** From 0 to 1, for the jitter of retries; `Math.random` when absent. */
	readonly random?: () => number;
	/** Further tries of one model call before the run itself is tried again; the agent's own number when absent. */
	readonly modelRetries?: number;
	/** Bound of the journal in pages of 8 KiB: a disk that is full sooner. None when absent. */
	readonly journalPages?: number;
};

/** How the start of a gateway waits for a store that others share. */
export type StoreWait = {
	/** The store cannot be reached now, and is tried again; `undefined`: it is open. Must not throw. */
	readonly onWaiting: (reason: string | undefined) => void;
	/** Aborts when the gateway ends. */
	readonly ending: AbortSignal;
};

/** What stands before the rooms and is passed on to each of them whole. */
export type RoomWorld = GatewayWorld &
	World & {
		readonly broker: Broker;
		/** The secrets that `redact` hides. */
		readonly secrets: SecretList;
		readonly live: LiveConfig;
		readonly store: Store;
		/** The gateways that have that store open. */
		readonly cluster: GatewayCluster;
		/** Why the store cannot be written now; `undefined` when it can. */
		readonly failing: () => string | undefined;
		/** Runs and approvals of dead gateways that were taken over at the start. */
		readonly taken: TakenOver;
		/** The certificate authorities that TLS connections trust. */
		readonly authorities: Authorities;
	};

/** The rooms of a running gateway, joined. */
export type Rooms = RoomWorld &
	AsyncDisposable & {
		readonly dispatcher: Dispatcher;
		readonly deliverer: Deliverer;
		readonly loops: LoopBreaker;
		readonly receiver: LiveReceiver;
		readonly replays: Replays;
		readonly groups: LiveGroups;
		readonly jobs: LiveJobs;
		readonly servers: LiveServers;
		readonly approvals: SharedApprovals;
		readonly api: OpenedApi;
		/** Identifiers of deliveries. */
		readonly ids: () => string;
		readonly announce: RunAnnouncer;
	};
