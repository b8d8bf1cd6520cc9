import type {Approval, ApprovalAnswer, ApprovalRule} from '../core/approval.ts';
import type {ModelView, PlatformView, Problem, RouteView} from '../core/config-view.ts';
import type {Delivery, StoredDelivery} from '../core/delivery.ts';
import type {GatewayEvent} from '../core/events.ts';
import type {Group, StoredGroup} from '../core/group.ts';
import type {JobView} from '../core/job.ts';
import type {JsonObject} from '../core/json.ts';
import type {Run, RunState, StoredRun} from '../core/run.ts';
import type {GatewayState} from '../core/state.ts';
import type {ServerView} from '../core/tool-server.ts';
import type {ToolResult} from '../core/tool.ts';
import type {RecoveredEvent, ReplayChanges as ReplayOptions} from '../webhook/known-event.ts';
import type {ReceiverAnswer} from '../webhook/receiver.ts';

/** What a replay would do, said before it is done. */
export type ReplayPlan = {
	readonly route: string;
	/** One line per consequence: `starts an agent run`, `posts a comment to acme/api#7`. */
	readonly effects: readonly string[];
	/** Whether anything beyond the log happens, so that a face must ask first. */
	readonly needsConfirmation: boolean;
};

export type {ReceiverAnswer, ReplayOptions};

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
	/** Groups that wait. */
	readonly groups: number;
	/** `next_at`: when the first of them fires, milliseconds since 1970. */
	readonly jobs: {readonly count: number; readonly next_at: number | null};
	readonly servers: ReadonlyArray<{
		readonly name: string;
		readonly profile: string;
		readonly status: string;
		readonly tools: number;
		readonly reason: string | null;
	}>;
	/** How many calls and forms wait for a person. */
	readonly approvals: number;
	readonly platforms: readonly PlatformView[];
	readonly model: ModelView | null;
	/** Why the configured model cannot be used, if so. */
	readonly model_problem: string | null;
	/** What the last look at the configuration refused (then the one before it is in use) or warned of. */
	readonly config_problems: readonly Problem[];
	/** Keys whose change waits for a restart. */
	readonly restart_needed: readonly string[];
	/** Why the journal cannot be written now, if so. */
	readonly journal_failing: string | null;
};

export type StopConsequences = {
	readonly activeRuns: number;
	readonly queuedRuns: number;
	/** Groups that would be dispatched. */
	readonly pendingGroups: number;
};

/** What became of an answer to an approval. */
export type Settled =
	| {readonly settled: true; readonly approval: Approval}
	/** Somebody, or the deadline, was first: how it was settled; or there is no such request. */
	| {readonly settled: false; readonly approval?: Approval};

/** What reading the tool servers' configuration again would do; one line each. */
export type ServerReloadPlan = {
	/** `+ crm2`, `~ github-tools: tools.include changed (14 → 9 tools, 1 approval rule becomes void)`, `- old`. Empty: nothing. */
	readonly changes: readonly string[];
	/** Names of servers whose connections would end. */
	readonly closes: readonly string[];
};

/** What a person sees of a connection that was tried. */
export type ServerTest = {
	readonly server: ServerView;
	/** Milliseconds from the start to the list of tools. */
	readonly durationMs: number;
};

/** What a gateway can be asked and told. Commands reject with `SvcError`; nothing here throws synchronously. */
export type GatewayCommands = {
	getDelivery(id: string): Promise<StoredDelivery | undefined>;
	listDeliveries(filter: {
		readonly profile?: string;
		readonly route?: string;
		readonly outcomes?: readonly string[];
		readonly runStates?: readonly RunState[];
		/** Milliseconds since 1970. */
		readonly since?: number;
		readonly before?: string;
		readonly limit: number;
	}): Promise<readonly Delivery[]>;
	getRun(id: number): Promise<StoredRun | undefined>;
	listRuns(filter: {
		readonly states?: readonly RunState[];
		readonly profile?: string;
		readonly route?: string;
		/** `Run.job.id`. */
		readonly job?: string;
		readonly before?: number;
		readonly limit: number;
	}): Promise<readonly Run[]>;
	getGroup(id: number): Promise<StoredGroup | undefined>;
	/** Pending ones by when they are due, then dispatched ones, newest first. */
	listGroups(filter: {
		readonly state?: Group['state'];
		readonly limit: number;
	}): Promise<readonly Group[]>;
	/** Starts the run of a pending group now; `false` when it is not pending any more. */
	dispatchGroup(id: number): Promise<boolean>;
	listJobs(): Promise<readonly JobView[]>;
	/**
	 * Queues a run of a job now, also of a paused one. `job` is its identifier or its name.
	 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `profile_not_served`, `queue_full`
	 */
	runJob(job: string, options?: {readonly profile?: string}): Promise<{readonly runId: number}>;
	/** Pauses or resumes a job in its file. Same errors. */
	setJobPaused(
		job: string,
		options: {readonly paused: boolean; readonly profile?: string},
	): Promise<void>;
	/** Takes stored deliveries into the journal as they are, with identifiers of ours; nothing runs. Their number. */
	importDeliveries(deliveries: readonly StoredDelivery[]): Promise<number>;
	/**
	 * Takes in an event that its sender could not deliver and whose sender has been asked, with the identifier that it had: the pipeline after authentication. A duplicate answers so.
	 * @throws SvcError `route_not_found`, `webhook_not_listening`
	 */
	recoverDelivery(event: RecoveredEvent): Promise<ReceiverAnswer>;

	/** What `replay` would do, without doing it. @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found` */
	planReplay(id: string, options?: ReplayOptions): Promise<ReplayPlan>;
	/** Sends a stored delivery through the pipeline again, after authentication, with a new identifier that names the old. */
	replay(id: string, options?: ReplayOptions): Promise<ReceiverAnswer>;
	/** Sends a signed event to a route of this gateway through its HTTP port. @throws SvcError `route_not_found`, `route_not_testable`, `webhook_not_listening` */
	sendTestEvent(
		route: string,
		options?: {readonly payload?: string; readonly event?: string},
	): Promise<ReceiverAnswer>;
	/** A `curl` command line that sends a signed test event to `route`; holds no secret, only a computed signature. Same errors. */
	curlLine(route: string): Promise<string>;
	/** What waits, oldest first; or what was settled, newest first. */
	listApprovals(filter: {
		readonly state: 'waiting' | 'settled';
		readonly limit: number;
	}): Promise<readonly Approval[]>;
	/** `undefined` when there is none; the newest 5,000 that were settled are kept. */
	getApproval(id: number): Promise<Approval | undefined>;
	/**
	 * Answers what waits. The first answer wins. `by` names the face.
	 * @throws SvcError `approval_invalid` for an answer that the request does not take: a scope that is not offered, a wrong name, a form that is not filled in
	 */
	settleApproval(id: number, answer: ApprovalAnswer, by: string): Promise<Settled>;
	/** Moves the deadline by five minutes, as far as the run's own end; `undefined` when it does not wait any more. */
	extendApproval(id: number): Promise<Approval | undefined>;
	listApprovalRules(): Promise<readonly ApprovalRule[]>;
	/** `false` when there is no such rule. */
	revokeApprovalRule(id: number): Promise<boolean>;
	listServers(): Promise<readonly ServerView[]>;
	/** Connects, also what is parked or lazy; resolves when that has succeeded or failed. @throws SvcError `server_not_found` */
	connectServer(name: string, options?: {readonly profile?: string}): Promise<ServerView>;
	/** Ends the connection; its tools stay, the next call connects. @throws SvcError `server_not_found` */
	disconnectServer(name: string, options?: {readonly profile?: string}): Promise<ServerView>;
	/** Connects beside whatever is connected, lists, and leaves. @throws SvcError `server_not_found` and why it failed */
	testServer(name: string, options?: {readonly profile?: string}): Promise<ServerTest>;
	/** What `reload` would do to the tool servers, without doing it. */
	planServerReload(): Promise<ServerReloadPlan>;
	/** Calls a tool as a run would, through the approvals too. @throws SvcError `tool_not_found`, `tool_denied` */
	tryTool(
		name: string,
		args: JsonObject,
		options: {readonly by: string; readonly profile?: string},
	): Promise<ToolResult>;
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
