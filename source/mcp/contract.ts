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

// What the room of the tool servers is to the rest of the program: what it gives, and what it is given. Types alone.

/** A form of a tool server that a person is to fill in; strings are cleaned. */
export type FormRequest = AskedForm & {
	/** The run whose call made the server ask; absent when a person tries a tool. */
	readonly runId?: number;
};

/** Hands a form to a person, and ends it in time: no answer is `cancel`. When the signal aborts it must resolve or reject at once; otherwise it must not reject. */
export type Elicit = (form: FormRequest) => Promise<FormAnswer>;

/** Asks our model: `model` when there is one, else the profile's own. Rejects when it fails; the server reads one redacted sentence. */
export type Sample = (
	request: SampleRequest & {
		readonly profile: string;
		/** The run whose call made the server ask. */
		readonly runId?: number;
	},
) => Promise<Sampled>;

/** What a manager needs of the rest of the program. */
export type ServerManagerDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** Whose servers these are: `ServerView.profile`. */
	readonly profile: string;
	/** Of that profile: its cache and its pins. */
	readonly paths: HomePaths;
	/** The profile's merged environment; asked at every connect. */
	readonly environment: () => Environment;
	/** `toolsets.terminal.workdir`, which is `${workspaceFolder}`; absent: the folder of this process. Asked at every connect. */
	readonly workdir: () => string | undefined;
	/** One for the whole gateway; it outlives the managers. */
	readonly transports: TransportFactory;
	readonly elicit: Elicit;
	/** Asks our model for a server; absent: no server may ask. */
	readonly sample?: Sample;
	/** The login of a server with `auth: oauth`, whose references are expanded; `undefined` for one without. */
	readonly loginOf?: (server: ToolServerConfig) => ServerLogin | undefined;
	/** Something a face shows of a server is different now. At most one call per server and turn of the event loop. Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** A server is not configured any more, and its connection has ended. Must not throw. */
	readonly onRemoved: (name: string) => void;
};

/** What `apply` would do to one server. */
export type PlannedServerChange = {
	readonly name: string;
	readonly kind: 'added' | 'changed' | 'removed';
	/** Keys that are different, as they stand in the file: `url`, `tools.include`. Empty unless `changed`. */
	readonly keys: readonly string[];
	/** Whether it would be another server: what is agreed to of its tools does not hold any more. */
	readonly isOther: boolean;
	/** Its connection would end. */
	readonly closes: boolean;
	/** Registered tools before and after, as far as its last list tells. */
	readonly tools?: {readonly before: number; readonly after: number};
	/** The server's own names of tools that would not be registered any more. */
	readonly lostTools: readonly string[];
};

/** The tool servers of one profile. */
export type ServerManager = AsyncDisposable & {
	/**
	 * Makes these the servers: unchanged connections stay, changed ones connect again, removed ones end; side by side, and none's
	 * failure concerns another. Resolves when what had to end has ended; new connections are under way then.
	 */
	apply(servers: ReadonlyMap<string, ToolServerConfig>): Promise<void>;
	/** What `apply` would do, by name. Empty: nothing. */
	plan(servers: ReadonlyMap<string, ToolServerConfig>): readonly PlannedServerChange[];
	/** The tools of each server by the server's name, in a fixed order. A run keeps the objects that it started with; they outlive reconnects. */
	tools(): ReadonlyMap<string, readonly Tool[]>;
	/** Resolves when every server that connects by itself, of those that are needed (all), has connected or failed once. Rejects with the reason of `signal`. */
	ready(signal: AbortSignal, isNeeded?: (server: string) => boolean): Promise<void>;
	/** By name. */
	views(): readonly ServerView[];
	/** Connects now, also what is parked, lazy or waits for a login; resolves when that has succeeded or failed. @throws SvcError `server_not_found`, `server_disabled` */
	connect(name: string): Promise<ServerView>;
	/** Ends the connection; its tools stay, the next call connects. @throws SvcError `server_not_found` */
	disconnect(name: string): Promise<ServerView>;
	/** A person has logged in to a server, or out: a server that waits for a login connects. */
	loginChanged(name: string): void;
	/** A person has allowed a tool with this definition: it is the known one from now on. Does not reject. */
	accept(tool: {
		readonly server: string;
		/** The server's own name. */
		readonly tool: string;
		/** `AskedTool.definition` */
		readonly definition: string;
	}): Promise<void>;
	/** Connects beside whatever is connected, lists, and leaves. @throws ConnectError, SvcError `server_disabled` */
	test(server: ToolServerConfig): Promise<TestedServer>;
};
