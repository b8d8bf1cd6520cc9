import type {FileRule} from '../core/approval.ts';
import type {Diagnostic} from '../core/config-view.ts';
import type {JsonObject} from '../core/json.ts';
import type {PlatformsConfig, SectionsConfig} from '../platforms/platforms.ts';
import type {AlertConfig} from './alerts.ts';
import type {apiSettings} from './api-settings.ts';
import type {ApprovalChat} from './approval-rules.ts';
import type {layoutOf} from './home-paths.ts';
import type {KeyPath} from './plain-data.ts';
import type {Route, SkippedRoute} from './route.ts';
import type {receiverSettings} from './schema.ts';
import type {
	gatewaySettings,
	metricsSettings,
	modelSettings,
	retentionSettings,
	runsSettings,
	tlsSettings,
} from './section-schemas.ts';
import type {SharedHome} from './shared-home.ts';
import type {ToolServerConfig} from './tool-server.ts';
import type {SandboxConfig, ToolsetsConfig, toolsSettings} from './toolset-settings.ts';

/** Files and folders of one home. Absolute paths. @see manual/configuration.md#how-the-file-is-read */
export type HomePaths = Readonly<ReturnType<typeof layoutOf>> & {
	/** What the members of a cluster share in place of files of this home; absent: the files count. */
	readonly shared?: SharedHome;
};

/** A profile that routes and jobs may be bound to. */
export type Profile = {
	/** `default`: the home of this gateway, whatever its name. */
	readonly name: string;
	readonly paths: HomePaths;
	/** Its `.env` over the process's environment; nothing of another profile's. Never handed to a child process as it is. */
	readonly environment: Readonly<Record<string, string>>;
	/** Whether its folder is there. */
	readonly exists: boolean;
};

/** The profiles as they were when the configuration was read. */
export type Profiles = {
	/** Every other profile that has a folder, by name; none unless `Config.multiplexProfiles`. */
	readonly others: readonly Profile[];
	/** Folders and `.env` files that could not be used. */
	readonly problems: ReadonlyArray<{readonly file: string; readonly message: string}>;
	/**
	 * The profile with that name; `default` and the gateway's own name are its home. One without a folder has the process's variables alone.
	 * @throws SvcError `profile_invalid` for what is not a folder's name; a route has no such profile.
	 */
	of(name: string): Profile;
};

export type WebhookConfig = ReturnType<typeof receiverSettings.read> & {
	/** Not enabled, and that is written: a receiver that serves is not closed because the word for it is missing. */
	readonly switchedOff: boolean;
	/** Global fallback secrets; empty when none is set. An explicit empty secret of a route inherits nothing. */
	readonly secrets: readonly string[];
	/** Static routes that are served: those that can be as they are written, and the last good version of those that cannot. */
	readonly routes: ReadonlyMap<string, Route>;
	/** Why the receiver may not start; each names its route, a route may have several. Empty: it may. @see manual/receiver.md#refused-at-the-start */
	readonly refusals: readonly SkippedRoute[];
	/** Static routes that cannot be served as they are written; a route may have several reasons. One of `routes` keeps its last good version. */
	readonly invalid: readonly SkippedRoute[];
	/** Static routes that are not served though nothing is wrong with them: they are bound to a profile that this gateway does not serve. */
	readonly skipped: readonly SkippedRoute[];
	/** Why its settings cannot be used, so that it does not start; nothing else here counts then. */
	readonly broken?: string;
};

export type ModelConfig = ReturnType<typeof modelSettings.read> & {
	/** Why no model may be used; nothing else here counts then. */
	readonly broken?: string;
};

export type ApiConfig = ReturnType<typeof apiSettings.read> & {
	/** Why it is not served; nothing else here counts then. */
	readonly broken?: string;
};

export type GatewayConfig = Omit<ReturnType<typeof gatewaySettings.read>, 'multiplexProfiles'> & {
	/** Why it is not known which store is meant, so that none may be opened. */
	readonly broken?: string;
};

export type RunsConfig = ReturnType<typeof runsSettings.read>;

/** Something of `config.yaml` besides a route that cannot be used as it is written. */
export type ConfigError = {
	/** Where it stands. */
	readonly path: KeyPath;
	/** The same for a person, at most 200 cells: `model`, `platforms.webhook`, `mcp_servers.crm`. Not to tell items by. */
	readonly item: string;
	/** One line with file, line, column and key. */
	readonly reason: string;
	/** Whether its last good version stays in use; otherwise it is not there at all. */
	readonly kept: boolean;
};

/** Everything that was configured, immutable. A reload makes a new one. */
export type Config = SectionsConfig & {
	readonly paths: HomePaths;
	readonly webhook: WebhookConfig;
	readonly model: ModelConfig;
	readonly runs: RunsConfig;
	readonly api: ApiConfig;
	/** Where everything is kept, and what this gateway is called there. */
	readonly gateway: GatewayConfig;
	/** Whether routes of other profiles are served below `/p/<profile>/`. Only the home without a profile's name can. */
	readonly multiplexProfiles: boolean;
	readonly profiles: Profiles;
	/** Address that `/metrics` is for; loopback: this machine alone; absent: no address. */
	readonly metrics: Partial<ReturnType<typeof metricsSettings.read>>;
	readonly platforms: PlatformsConfig;
	/** `mcp_servers` by name, in the order of the file; those that are switched off too. References are not resolved, see `expandServer`. */
	readonly toolServers: ReadonlyMap<string, ToolServerConfig>;
	/** What svc's own tools may do. */
	readonly toolsets: ToolsetsConfig;
	readonly tools: ReturnType<typeof toolsSettings.read>;
	readonly sandbox: SandboxConfig;
	/** `approvals.allow`, in the order of the file. */
	readonly approvalRules: readonly FileRule[];
	/** `approvals.chats`, in the order of the file. */
	readonly approvalChats: readonly ApprovalChat[];
	/** Chats that receive alerts, in the order of the file. */
	readonly alerts: readonly AlertConfig[];
	/** Absent: nothing is removed. */
	readonly retention: ReturnType<typeof retentionSettings.read> | undefined;
	/** Whom connections trust besides. */
	readonly tls: ReturnType<typeof tlsSettings.read>;
	/** What cannot be used as it is written, by `itemKey(ConfigError.path)`; routes see `webhook`. */
	readonly itemErrors: ReadonlyMap<string, ConfigError>;
	/** Values that must never be shown: every secret, key and password that was read, those of other profiles too. */
	readonly secretValues: readonly string[];
	/** The merged environment: the process's under the profile's `.env`. Never handed to a child process. */
	readonly environment: Readonly<Record<string, string>>;
	/** Errors and warnings in the order of the file, at most 101; each error disables one item. */
	readonly problems: readonly Diagnostic[];
	/** The plain data of `config.yaml` as it counts: what stays in use for an error stands as it was. */
	readonly written: JsonObject;
	/** False when there was no `config.yaml`. */
	readonly exists: boolean;
	/** Whether `config.yaml` was missing or said nothing: blank, comments, `null`. */
	readonly blank: boolean;
};

export type LoadedConfig =
	| {readonly ok: true; readonly config: Config}
	| {readonly ok: false; readonly problems: readonly Diagnostic[]};

/** Served routes by name (static before dynamic), and what was skipped. */
export type RouteTable = {
	readonly routes: ReadonlyMap<string, Route>;
	/** Entries that are not served as they are written, with the reasons; the name is there even when the entry is broken. */
	readonly skipped: readonly SkippedRoute[];
	/** Routes that cannot be served as they are written, by name, each with its first reason: 503, unless `routes` has a last good version. */
	readonly invalid: ReadonlyMap<string, SkippedRoute>;
	/** Problems of served routes that do not stop them, by name. */
	readonly troubles?: ReadonlyMap<string, readonly string[]>;
	/** Why the file of dynamic routes cannot be used, if so. `isUnread`: it never could, so that any name that no static route has may be one of its. */
	readonly broken?: {readonly problem: string; readonly isUnread: boolean};
	/** What served dynamic routes say without effect; for `config.yaml` see `Config.problems`. At most 100. */
	readonly warnings: readonly Diagnostic[];
	/** Changes whenever anything in the table did. */
	readonly version: number;
};
