import type {ModelView, PlatformView, RouteView} from '../core/config-view.ts';
import type {Delivery, StoredDelivery} from '../core/delivery.ts';
import type {GatewayEvent} from '../core/events.ts';
import type {Run, RunState, StoredRun} from '../core/run.ts';
import type {GatewayState} from '../core/state.ts';

/** What a replay would do, said before it is done. */
export type ReplayPlan = {
	readonly route: string;
	/** One line per consequence: `starts an agent run`, `posts a comment to acme/api#7`. */
	readonly effects: readonly string[];
	/** Whether anything beyond the log happens, so that a face must ask first. */
	readonly needsConfirmation: boolean;
};

/** An HTTP answer of our own receiver. */
export type ReceiverAnswer = {readonly status: number; readonly body: string};

/** @see Decisions 2 */
export type GatewayStatus = {
	readonly pid: number;
	readonly version: string;
	readonly home: string;
	readonly profile: string;
	/** Milliseconds since 1970. */
	readonly started_at: number;
	readonly webhook: {readonly url: string} | {readonly refused: string} | {readonly disabled: true};
	/** The chat API; absent features are `null` until they exist. */
	readonly api: null;
	readonly runs: {readonly active: number; readonly queued: number};
	readonly groups: number;
	readonly servers: readonly never[];
	readonly platforms: readonly PlatformView[];
	readonly model: ModelView | null;
	/** Why the journal cannot be written now, if so. */
	readonly journal_failing: string | null;
};

export type StopConsequences = {
	readonly activeRuns: number;
	readonly queuedRuns: number;
};

/** What a gateway can be asked and told. Commands reject with `SvcError`; nothing here throws synchronously. */
export type GatewayCommands = {
	getDelivery(id: string): Promise<StoredDelivery | undefined>;
	listDeliveries(filter: {
		readonly route?: string;
		readonly before?: string;
		readonly limit: number;
	}): Promise<readonly Delivery[]>;
	getRun(id: number): Promise<StoredRun | undefined>;
	listRuns(filter: {
		readonly states?: readonly RunState[];
		readonly route?: string;
		readonly before?: number;
		readonly limit: number;
	}): Promise<readonly Run[]>;

	/** What `replay` would do, without doing it. @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found` */
	planReplay(id: string): Promise<ReplayPlan>;
	/** Sends a stored delivery through the pipeline again, after authentication, with a new identifier that names the old. `body` replaces the stored one (UTF-8). */
	replay(id: string, options?: {readonly body?: string}): Promise<ReceiverAnswer>;
	/** Sends a signed event to a route of this gateway through its HTTP port. @throws SvcError `route_not_found`, `webhook_not_listening` */
	sendTestEvent(
		route: string,
		options?: {readonly payload?: string; readonly event?: string},
	): Promise<ReceiverAnswer>;
	/** A `curl` command line that sends a signed test event to `route`; holds no secret, only a computed signature. */
	curlLine(route: string): Promise<string>;
	/** `false` when the run has ended already. */
	cancelRun(id: number): Promise<boolean>;
	/** `false` when the run is not in a state that can be retried. */
	retryRun(id: number): Promise<boolean>;
	/** Every route of the home, also those that are not served. */
	listRoutes(): Promise<readonly RouteView[]>;
	/** Reads every configuration file again, now. */
	reload(): Promise<void>;
	/** Tries to listen again after a refusal. */
	restartReceiver(): Promise<void>;
	/**
	 * Agrees to a model that was found but costs money (`GatewayState.modelOffer`): writes the provider to `config.yaml` and reloads.
	 * @throws SvcError `model_not_offered`
	 */
	useModel(provider: string): Promise<void>;
	/** The gateway in one object, for `svc gateway status --json`. */
	status(): Promise<GatewayStatus>;
	/** What stopping now would end. */
	stopConsequences(): Promise<StopConsequences>;
	/** Drains and ends the gateway (in another process: asks it to). */
	stop(): Promise<void>;
};

/**
 * What a face may do with a gateway: watch it and command it. Two implementations: in this process, and over `run/gateway.sock`; a face cannot tell
 * them apart.
 */
export type GatewayPort = GatewayCommands & {
	/** `false` when the gateway runs in another process. */
	readonly embedded: boolean;
	/** The current state; the same object until something happened. */
	getState(): GatewayState;
	/** Calls `listener` with every batch of events, after the state holds them. Returns the way out. */
	subscribe(listener: (events: readonly GatewayEvent[]) => void): () => void;

	/** Leaves: an attached face goes, the gateway stays. */
	[Symbol.asyncDispose](): Promise<void>;
};
