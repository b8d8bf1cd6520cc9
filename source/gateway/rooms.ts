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

/** The surroundings and options of a gateway. */
export type GatewayWorld = {
	readonly clock: Clock;
	readonly paths: HomePaths;
	/** The process's environment, without the profile's `.env`. */
	readonly environment: Environment;
	readonly version: string;
	/** The seat at the start; it changes when an interface leaves. */
	readonly seat?: Seat;
	/** Receives every log record, as the log file does. */
	readonly onLog?: (record: LogRecord) => void;
	/** Where to look for model servers on this machine; the usual places when absent. */
	readonly localServers?: readonly string[];
	/** Returns a number from 0 to 1 for the jitter of retries; `Math.random` when absent. */
	readonly random?: () => number;
	/** Retries of one model call before the run itself is retried; the agent's default when absent. */
	readonly modelRetries?: number;
	/** Maximum size of the journal in pages of 8 KiB, to simulate a full disk. Unlimited when absent. */
	readonly journalPages?: number;
};

/** How the start of a gateway waits for a store that others share. */
export type StoreWait = {
	/** Called with the reason while the store is unreachable and retried; with `undefined` once it is open. Must not throw. */
	readonly onWaiting: (reason: string | undefined) => void;
	/** Aborts when the gateway ends. */
	readonly ending: AbortSignal;
};

/** What exists before the rooms and is passed to each of them. */
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
		/** Makes identifiers of deliveries. */
		readonly ids: () => string;
		readonly announce: RunAnnouncer;
	};
