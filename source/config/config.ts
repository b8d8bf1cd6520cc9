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
	/** The documents that members of a cluster share instead of files of this home; absent: the files are used. */
	readonly shared?: SharedHome;
};

/** A profile that routes and jobs may be bound to. */
export type Profile = {
	/** `default` for the home of this gateway, even if that is a named profile. */
	readonly name: string;
	readonly paths: HomePaths;
	/** The variables of the process, overridden by the profile's own `.env`; none of other profiles. Never passed to a child process unfiltered. */
	readonly environment: Readonly<Record<string, string>>;
	/** Whether its folder is there. */
	readonly exists: boolean;
};

/** The profiles as they were when the configuration was read. */
export type Profiles = {
	/** Every other profile that has a folder, sorted by name; empty unless `Config.multiplexProfiles`. */
	readonly others: readonly Profile[];
	/** Folders and `.env` files that could not be used. */
	readonly problems: ReadonlyArray<{readonly file: string; readonly message: string}>;
	/**
	 * The profile with that name; `default` and the gateway's own name mean its home. A profile without a folder has only the variables of the process.
	 * @throws SvcError `profile_invalid` for what is not a folder's name; a route has no such profile.
	 */
	of(name: string): Profile;
};

export type WebhookConfig = ReturnType<typeof receiverSettings.read> & {
	/** `enabled` is explicitly false. A running receiver is closed only then, not because the setting is missing. */
	readonly switchedOff: boolean;
	/** Global fallback secrets; empty when none is set. An explicit empty secret of a route inherits nothing. */
	readonly secrets: readonly string[];
	/** Static routes that are served: valid ones, and the last good versions of invalid ones. */
	readonly routes: ReadonlyMap<string, Route>;
	/** Why the receiver may not start; each entry names its route, a route may have several. Empty: it may start. @see manual/receiver.md#refused-at-the-start */
	readonly refusals: readonly SkippedRoute[];
	/** Static routes that are invalid as written; a route may have several reasons. If the name is also in `routes`, its last good version is served. */
	readonly invalid: readonly SkippedRoute[];
	/** Valid static routes that are not served, because they are bound to a profile that this gateway does not serve. */
	readonly skipped: readonly SkippedRoute[];
	/** Why the settings of the receiver cannot be used, so that it does not start; the other members are meaningless then. */
	readonly broken?: string;
};

export type ModelConfig = ReturnType<typeof modelSettings.read> & {
	/** Why no model may be used; the other members are meaningless then. */
	readonly broken?: string;
};

export type ApiConfig = ReturnType<typeof apiSettings.read> & {
	/** Why the chat API is not served; the other members are meaningless then. */
	readonly broken?: string;
};

export type GatewayConfig = Omit<ReturnType<typeof gatewaySettings.read>, 'multiplexProfiles'> & {
	/** Why the configured store is unknown; no store may be opened then. */
	readonly broken?: string;
};

export type RunsConfig = ReturnType<typeof runsSettings.read>;

/** An item of `config.yaml`, other than a route, that cannot be used as written. */
export type ConfigError = {
	/** Path of the item. */
	readonly path: KeyPath;
	/** The path for people, at most 200 cells: `model`, `platforms.webhook`, `mcp_servers.crm`. Not unique: do not use it as a key. */
	readonly item: string;
	/** One line with file, line, column and key. */
	readonly reason: string;
	/** Whether the last good version of the item stays in use; otherwise the item is missing. */
	readonly kept: boolean;
};

/** Everything that was configured, immutable. A reload makes a new one. */
export type Config = SectionsConfig & {
	readonly paths: HomePaths;
	readonly webhook: WebhookConfig;
	readonly model: ModelConfig;
	readonly runs: RunsConfig;
	readonly api: ApiConfig;
	/** The store, and the name of this gateway in it. */
	readonly gateway: GatewayConfig;
	/** Whether routes of other profiles are served below `/p/<profile>/`. Only possible for the default profile. */
	readonly multiplexProfiles: boolean;
	readonly profiles: Profiles;
	/** Host under which `/metrics` may be read; a loopback address: from this machine only; absent: from nowhere. */
	readonly metrics: Partial<ReturnType<typeof metricsSettings.read>>;
	readonly platforms: PlatformsConfig;
	/** `mcp_servers` by name, in the order of the file, including disabled ones. References are unresolved: see `expandServer`. */
	readonly toolServers: ReadonlyMap<string, ToolServerConfig>;
	/** Settings of the built-in toolsets. */
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
	/** Settings for further trusted certificates. */
	readonly tls: ReturnType<typeof tlsSettings.read>;
	/** Items that cannot be used as written, by `itemKey(ConfigError.path)`; for routes see `webhook`. */
	readonly itemErrors: ReadonlyMap<string, ConfigError>;
	/** Values that must never be shown: every secret, key and password that was read, also of other profiles. */
	readonly secretValues: readonly string[];
	/** The variables of the process, overridden by the profile's `.env`. Never passed to a child process. */
	readonly environment: Readonly<Record<string, string>>;
	/** Errors and warnings in the order of the file, at most 101; each error disables one item. */
	readonly problems: readonly Diagnostic[];
	/** Plain data of `config.yaml` as in force: an item with an error has its last good value, or is left out if it never had one; elements of lists stay as written. */
	readonly written: JsonObject;
	/** False when there was no `config.yaml`. */
	readonly exists: boolean;
	/** Whether `config.yaml` was missing or empty: blank, comments only, or `null`. */
	readonly blank: boolean;
};

export type LoadedConfig =
	| {readonly ok: true; readonly config: Config}
	| {readonly ok: false; readonly problems: readonly Diagnostic[]};

/** Served routes by name (static before dynamic), and what was skipped. */
export type RouteTable = {
	readonly routes: ReadonlyMap<string, Route>;
	/** Entries that are not served as written, with the reasons; `name` is set even if the entry is invalid. */
	readonly skipped: readonly SkippedRoute[];
	/** Invalid routes by name, each with its first reason. They answer 503 unless `routes` has the last good version. */
	readonly invalid: ReadonlyMap<string, SkippedRoute>;
	/** Problems of served routes that do not stop them, by name. */
	readonly troubles?: ReadonlyMap<string, readonly string[]>;
	/** Why the file of dynamic routes cannot be used; absent: it can. `isUnread`: it was never read, so any name without a static route may be one of its routes. */
	readonly broken?: {readonly problem: string; readonly isUnread: boolean};
	/** Warnings about settings of served dynamic routes that have no effect; for `config.yaml` see `Config.problems`. At most 100. */
	readonly warnings: readonly Diagnostic[];
	/** Changes with every change of the table. */
	readonly version: number;
};
