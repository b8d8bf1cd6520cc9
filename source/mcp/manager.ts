import {availableParallelism} from 'node:os';
import type {OAuthClientProvider} from '@modelcontextprotocol/client';
import type {HomePaths} from '../config/config.ts';
import type {Environment} from '../config/environment.ts';
import type {ToolServerConfig} from '../config/tool-server.ts';
import type {FormField} from '../core/approval.ts';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {JsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import type {Redact} from '../core/redact.ts';
import type {ServerView, TestedServer} from '../core/tool-server.ts';
import type {Tool} from '../core/tool.ts';
import {createCallQueue} from './connection/call-queue.ts';
import {createChangeBatch} from './connection/change-batch.ts';
import {openSchemaCache} from './connection/schema-cache.ts';
import {createToolNameReservations} from './connection/tool-name-reservations.ts';
import {waitAtMost} from './connection/with-deadline.ts';
import {diffServer, planServers} from './plan-servers.ts';
import {testServer} from './test-server.ts';
import {createToolServer, type ToolServer} from './tool-server.ts';
import type {Sample} from './tools/client-handlers.ts';
import {openPins} from './tools/pins.ts';
import type {TransportFactory} from './wire/transport-factory.ts';

/** A form of a tool server that a person is to fill in; strings are cleaned. */
export type FormRequest = {
	readonly server: string;
	readonly host: string;
	readonly profile: string;
	readonly message: string;
	readonly fields: readonly FormField[];
	/** How long it waits when nobody asks for more time. */
	readonly timeoutMs: number;
	/** The run whose call made the server ask; absent when a person tries a tool. */
	readonly runId?: number;
	readonly signal: AbortSignal;
};

/** Hands a form to a person, and ends it in time: no answer is `cancel`. When the signal aborts it must resolve or reject at once; otherwise it must not reject. */
export type Elicit = (
	form: FormRequest,
) => Promise<
	| {readonly action: 'accept'; readonly content: JsonObject}
	| {readonly action: 'decline'}
	| {readonly action: 'cancel'}
>;

/** What a manager needs of the rest of the program. */
export type ServerManagerDependencies = {
	readonly clock: Clock;
	readonly log: Logger;
	readonly redact: Redact;
	/** Whose servers these are: `ServerView.profile`. */
	readonly profile: string;
	/** Of that profile: its cache and its pins. */
	readonly paths: HomePaths;
	/** The profile's merged environment; asked at every connect. */
	readonly environment: () => Environment;
	/** One for the whole gateway; it outlives the managers. */
	readonly transports: TransportFactory;
	readonly elicit: Elicit;
	/** Asks our model for a server; absent: no server may ask. */
	readonly sample?: Sample;
	/** The credentials of a server with `auth: oauth`; `undefined` for one without. */
	readonly authProviderOf?: (server: ToolServerConfig) => OAuthClientProvider | undefined;
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
	/** Resolves when every server that connects by itself has connected or failed once. Rejects with the reason of `signal`. */
	ready(signal: AbortSignal): Promise<void>;
	/** By name. */
	views(): readonly ServerView[];
	/** Connects now, also what is parked, lazy or waits for a login; resolves when that has succeeded or failed. @throws SvcError `server_not_found`, `server_disabled` */
	connect(name: string): Promise<ServerView>;
	/** Ends the connection; its tools stay, the next call connects. @throws SvcError `server_not_found` */
	disconnect(name: string): Promise<ServerView>;
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

/** Starts without servers: `apply` brings them. Disposal ends every connection and every process, and calls nothing back afterwards. */
export function createServerManager(dependencies: ServerManagerDependencies): ServerManager {
	const {clock, log, paths, onChange, onRemoved} = dependencies;
	const servers = new Map<string, ToolServer>();
	const reservations = createToolNameReservations(name => servers.get(name)?.replan());
	const slots = createCallQueue(availableParallelism() * 2);
	const cache = openSchemaCache({path: paths.schemaCache, log, clock});
	const pins = openPins({path: paths.toolPins, log, clock});
	const changed = createChangeBatch(name => {
		const server = servers.get(name);
		if (server) {
			onChange(server.view());
		}
	});
	const changeover = createCallQueue(1);
	const stopping = new AbortController();
	let connectsUntil = 0;

	const open = async (config: ToolServerConfig) => {
		const {name} = config;
		const server = createToolServer(config, {
			...dependencies,
			pins: await pins,
			cache,
			slots,
			random: Math.random,
			taken: () => reservations.takenFor(name),
			onReserve(reserved) {
				reservations.reserve(name, reserved);
			},
			onChange() {
				changed.mark(name);
			},
		});
		servers.set(name, server);
		server.start();
		changed.mark(name);
	};

	const close = async (name: string, server: ToolServer) => {
		servers.delete(name);
		reservations.reserve(name, new Set());
		await server[Symbol.asyncDispose]();
		if (!stopping.signal.aborted) {
			onRemoved(name);
		}
	};

	const takeOver = async (next: ReadonlyMap<string, ToolServerConfig>) => {
		// Lazy ones may have to connect, too, when nothing is known of them.
		const timeouts = [...next.values()]
			.filter(({enabled}) => enabled)
			.map(({connectTimeoutMs}) => connectTimeoutMs);
		connectsUntil = clock.monotonic() + Math.max(0, ...timeouts);
		const gone = [...servers].filter(([name]) => !next.has(name));
		await Promise.all([
			...gone.map(async ([name, server]) => close(name, server)),
			...[...next].map(async ([name, config]) => {
				const server = servers.get(name);
				if (!server) {
					await open(config);
				} else if (diffServer(server.config, config).keys.length > 0) {
					await server.configure(config);
				} else {
					// What it needed may be there now: a variable, a file, a program.
					server.retry();
				}
			}),
		]);
	};

	const find = (name: string): ToolServer => {
		const server = servers.get(name);
		if (!server) {
			throw new SvcError('server_not_found', `Cannot find a tool server "${name}"`);
		}

		return server;
	};

	const sorted = () => [...servers.values()].toSorted((a, b) => byName(a.config, b.config));

	return {
		async apply(next) {
			await changeover.run(stopping.signal, async () => takeOver(next));
		},
		plan: next => planServers(servers, next, {profile: dependencies.profile}),
		tools: () => new Map(sorted().map(({config, tools}) => [config.name, tools])),
		async ready(signal) {
			const timeoutMs = Math.max(0, connectsUntil - clock.monotonic());
			await waitAtMost(
				{clock, timeoutMs, signal},
				Promise.all([...servers.values()].map(async server => server.tried())),
			);
		},
		views: () => sorted().map(server => server.view()),
		async connect(name) {
			const server = find(name);
			requireEnabled(server.config);
			await server.connect();
			return server.view();
		},
		async disconnect(name) {
			const server = find(name);
			await server.disconnect();
			return server.view();
		},
		async accept(tool) {
			await (await pins).accept({profile: dependencies.profile, ...tool});
			servers.get(tool.server)?.replan();
		},
		async test(config) {
			requireEnabled(config);
			return testServer(config, {...dependencies, pins: await pins});
		},
		async [Symbol.asyncDispose]() {
			stopping.abort(new SvcError('gateway_stopping', 'The gateway is stopping'));
			changed[Symbol.dispose]();
			// Servers that are being opened at this moment are closed, too.
			await changeover.run(new AbortController().signal, async () => {});
			await Promise.all([...servers.values()].map(async server => server[Symbol.asyncDispose]()));
			servers.clear();
		},
	};
}

const byName = (a: ToolServerConfig, b: ToolServerConfig): number => (a.name < b.name ? -1 : 1);

/** "No connection, discovery or registration", whoever asks. @see Interface 2.12 */
function requireEnabled({name, enabled}: ToolServerConfig): void {
	if (!enabled) {
		throw new SvcError(
			'server_disabled',
			`Cannot connect to the tool server "${name}": it is switched off, set "enabled: true"`,
		);
	}
}
