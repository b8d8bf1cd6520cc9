import type {HomePaths} from '../config/config.ts';
import type {Environment} from '../config/environment.ts';
import type {ToolServerConfig} from '../config/tool-server.ts';
import type {AskedForm, FormAnswer} from '../core/approval.ts';
import type {Sampled, SampleRequest} from '../core/bounds.ts';
import type {ServerView, TestedServer} from '../core/tool-server.ts';
import type {Tool} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {ServerLogin} from './wire/server-login.ts';
import type {TransportFactory} from './wire/transport-factory.ts';

// The interface between the tool servers and the rest of the program, both ways. Types only.

/** A form that a tool server wants a person to fill in; strings are escaped. */
export type FormRequest = AskedForm & {
	/** The run whose call made the server ask; absent if a person tried a tool. */
	readonly runId?: number;
};

/** Shows a form to a person, with a time limit: no answer counts as `cancel`. Must settle at once when the signal aborts, and otherwise not reject. */
export type Elicit = (form: FormRequest) => Promise<FormAnswer>;

/** Asks a model for a server: `model` if given, else the profile's own. Rejects on failure; the server then reads one redacted sentence. */
export type Sample = (
	request: SampleRequest & {
		readonly profile: string;
		/** The run whose call made the server ask. */
		readonly runId?: number;
	},
) => Promise<Sampled>;

/** What a manager needs from the rest of the program. */
export type ServerManagerDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** The profile that the servers belong to: `ServerView.profile`. */
	readonly profile: string;
	/** The profile's paths, for cache and pins. */
	readonly paths: HomePaths;
	/** The profile's merged environment; read at every connect. */
	readonly environment: () => Environment;
	/** `toolsets.terminal.workdir`, for `${workspaceFolder}`; absent: this process's folder. Read at every connect. */
	readonly workdir: () => string | undefined;
	/** Shared by the whole gateway; outlives the managers. */
	readonly transports: TransportFactory;
	readonly elicit: Elicit;
	/** Asks a model for a server; absent: servers may not ask. */
	readonly sample?: Sample;
	/** The login of a server with `auth: oauth`, whose references are expanded; `undefined` for other servers. */
	readonly loginOf?: (server: ToolServerConfig) => ServerLogin | undefined;
	/** Called when a server's view changes, at most once per server and turn of the event loop. Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** Called when a server is no longer configured and its connection has ended. Must not throw. */
	readonly onRemoved: (name: string) => void;
};

/** The effect of `apply` on one server. */
export type PlannedServerChange = {
	readonly name: string;
	readonly kind: 'added' | 'changed' | 'removed';
	/** Changed keys as in the file: `url`, `tools.include`. Empty unless `changed`. */
	readonly keys: readonly string[];
	/** Whether it becomes a different server, so that approvals of its tools no longer hold. */
	readonly isOther: boolean;
	/** Whether its connection would end. */
	readonly closes: boolean;
	/** The number of registered tools before and after, by its last known list. */
	readonly tools?: {readonly before: number; readonly after: number};
	/** Tools that would no longer be registered, by the server's own names. */
	readonly lostTools: readonly string[];
};

/** The tool servers of one profile. */
export type ServerManager = AsyncDisposable & {
	/**
	 * Replaces the set of servers: unchanged connections stay, changed ones reconnect, removed ones end. They do so in parallel, and failures are independent.
	 * Resolves when old connections have ended; new ones may still be connecting.
	 */
	apply(servers: ReadonlyMap<string, ToolServerConfig>): Promise<void>;
	/** The effect that `apply` would have, by server name. Empty: none. */
	plan(servers: ReadonlyMap<string, ToolServerConfig>): readonly PlannedServerChange[];
	/** Each server's tools by server name, in a fixed order. A run keeps the objects it started with; they survive reconnects. */
	tools(): ReadonlyMap<string, readonly Tool[]>;
	/**
	 * Resolves when each server that connects on its own, limited to those that `isNeeded` (all if absent), has connected or failed once. Rejects with the reason
	 * of `signal`.
	 */
	ready(signal: AbortSignal, isNeeded?: (server: string) => boolean): Promise<void>;
	/** All servers, ordered by name. */
	views(): readonly ServerView[];
	/**
	 * Connects now, even a server that is parked, lazy or waits for a login; resolves once that has succeeded or failed.
	 *
	 * @throws SvcError `server_not_found`, `server_disabled`
	 */
	connect(name: string): Promise<ServerView>;
	/** Ends the connection; the tools stay registered, and the next call connects. @throws SvcError `server_not_found` */
	disconnect(name: string): Promise<ServerView>;
	/** A person logged in to a server or out of it: connects a server that waits for a login. */
	loginChanged(name: string): void;
	/** Records that a person allowed a tool with this definition, which is now the known one. Does not reject. */
	accept(tool: {
		readonly server: string;
		/** The server's own name. */
		readonly tool: string;
		/** `AskedTool.definition` */
		readonly definition: string;
	}): Promise<void>;
	/** Connects in addition to existing connections, lists the tools, and disconnects. @throws ConnectError, SvcError `server_disabled` */
	test(server: ToolServerConfig): Promise<TestedServer>;
};
