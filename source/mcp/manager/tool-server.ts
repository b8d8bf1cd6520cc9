import {diffServer} from '../../config/diff-config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {createRedact, type Redact} from '../../core/redact.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import type {Tool, ToolContext} from '../../core/tool.ts';
import {callTool} from '../calls/call-tool.ts';
import {createCatalogue} from '../catalogue/catalogue.ts';
import type {ToolListing} from '../catalogue/list-tools.ts';
import type {Pins} from '../catalogue/pins.ts';
import type {PlannedTool, ToolsToPlan} from '../catalogue/plan-tools.ts';
import {
	catalogueFingerprint,
	isFresh,
	type CachedServer,
	type SchemaCache,
} from '../catalogue/schema-cache.ts';
import {createCallQueue, type CallQueue} from '../connection/call-queue.ts';
import {connectionSettings} from '../connection/connection-times.ts';
import {createManagedConnection} from '../connection/managed-connection.ts';
import type {OpenConnection} from '../connection/open-connection.ts';
import {watchList} from '../connection/watch-list.ts';
import type {ServerManagerDependencies} from '../contract.ts';
import {clientCapabilities} from '../requests/client-handlers.ts';
import {createRequestWindow} from '../requests/request-limits.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import {openServer, type ConnectionSecrets} from './open-server.ts';
import {viewServer} from './server-view.ts';

/** How many calls of one server may run in parallel, if it allows that. */
const maxParallelCalls = 64;

export type ToolServerDependencies = Omit<ServerManagerDependencies, 'onChange' | 'onRemoved'> & {
	readonly pins: Pins;
	readonly cache: SchemaCache;
	readonly slots: CallQueue;
	/** From 0 to 1, 1 excluded. */
	readonly random: () => number;
	/** Names reserved by other servers. */
	readonly taken: () => ReadonlySet<string>;
	/** Called when the names reserved by its tools change. */
	readonly onReserve: (reserved: ReadonlySet<string>) => void;
	/** Called when `view()` changes. */
	readonly onChange: () => void;
};

/** A tool server, connected or not. Disposing ends its connection, after which no callback is called. */
export type ToolServer = AsyncDisposable & {
	readonly config: ToolServerConfig;
	/** The registered tools. */
	readonly tools: readonly Tool[];
	readonly planned: readonly PlannedTool[];
	view(): ServerView;
	/** Resolves when it has first connected or failed since it was configured; at once if it does not connect on its own. */
	tried(): Promise<void>;
	/** Applies a changed configuration, keeping the connection if possible. Resolves when the old one has ended. */
	configure(config: ToolServerConfig): Promise<void>;
	/** Retries at once if failed or parked. */
	retry(): void;
	/** The stored login changed: connects if it waits for one. An open connection uses the new tokens from its next request on. */
	loginChanged(): void;
	/** Resolves when it has connected or failed. */
	connect(): Promise<void>;
	/** Resolves when the connection has ended. */
	disconnect(): Promise<void>;
	/** Plans its list of tools again. */
	replan(): void;
	/** Its last list, for planning under another policy; `undefined` before it was connected or cached. */
	offer(): Pick<ToolsToPlan, 'listed' | 'capabilities'> | undefined;
	/** Why there is no connection; `undefined` if there is one. */
	failure(): ConnectFailure | undefined;
};

/** Creates a server without starting it: `start()` takes the place of the first `configure()`. */
export function createToolServer(
	initial: ToolServerConfig,
	dependencies: ToolServerDependencies,
): ToolServer & {start(): void} {
	const {clock, log, profile, pins, cache, slots, onChange} = dependencies;
	let config = initial;
	let said: Omit<CachedServer, 'fingerprint'> | undefined;
	let lastOpened: OpenConnection | undefined;
	let activeCalls = 0;
	let firstTry = Promise.resolve();
	let saved = Promise.resolve();
	let opening: ConnectionSecrets = {secrets: [], login: undefined};
	const hideSecrets = createRedact(() => opening.secrets, {byShape: false});
	const redact: Redact = text => hideSecrets(dependencies.redact(text));
	const serial = createCallQueue(1);
	const parallel = createCallQueue(maxParallelCalls);
	const samplingWindow = createRequestWindow(clock);
	const formWindow = createRequestWindow(clock);

	const canSample = dependencies.sample !== undefined;
	const fingerprint = () => catalogueFingerprint(config, clientCapabilities(config, {canSample}));

	const cached = () => {
		const entry = cache.get(config.name);
		return entry && isFresh(entry, {now: clock.now(), expected: fingerprint()}) ? entry : undefined;
	};

	/** Caches what the server listed for the next start, under the current policy. */
	const save = () => {
		if (said) {
			saved = cache.put(config.name, {...said, fingerprint: fingerprint()});
		}
	};

	/** Takes over what the server offers. */
	const take = ({facts}: OpenConnection, {tools, ttlMs, warnings}: ToolListing) => {
		said = {savedAt: clock.now(), ttlMs, facts, tools};
		catalogue.update({tools, warnings, capabilities: facts.capabilities});
		save();
	};

	const refresh = async (opened: OpenConnection) => {
		try {
			const listing = await opened.list(opened.signal);
			if (connection.current === opened) {
				take(opened, listing);
			}
		} catch (error) {
			const facts = {server: config.name, error: messageOf(error)};
			log.debug('Cannot list the tools of a server again', facts);
		}
	};

	const onOpening = (now: ConnectionSecrets) => {
		opening = now;
	};

	const connection = createManagedConnection({
		clock,
		random: dependencies.random,
		slots,
		settings: () => connectionSettings(config),
		async open(options) {
			const {discover} = cached()?.facts ?? {};
			const parts = {...dependencies, redact, samplingWindow, formWindow};
			return openServer(config, {...options, discover, onOpening}, parts);
		},
		onOpened(opened) {
			lastOpened = opened;
			take(opened, opened.listing);
			watchList(opened, {clock, refresh: async () => refresh(opened)});
		},
		onChange,
	});

	const execute = async (seen: PlannedTool, args: JsonValue, context: ToolContext) =>
		(config.parallel ? parallel : serial).run(context.signal, async () => {
			activeCalls++;
			onChange();
			try {
				const options = {cacheDir: dependencies.paths.cache, redact, clock};
				const find = (planned: PlannedTool) => catalogue.find(planned);
				const parts = {connection, server: () => config, find, options};
				return await callTool({seen, args, context}, parts);
			} finally {
				activeCalls--;
				onChange();
			}
		});

	const catalogue = createCatalogue({
		server: () => config,
		profile,
		pins,
		log,
		redact,
		taken: dependencies.taken,
		execute,
		onChange() {
			dependencies.onReserve(catalogue.plan.reserved);
			onChange();
		},
	});

	const begin = () => {
		const entry = config.enabled && config.lazy ? cached() : undefined;
		if (entry && !catalogue.listed) {
			said = entry;
			const {tools, facts} = entry;
			catalogue.update({tools, warnings: [], capabilities: facts.capabilities});
		}

		connection.send({type: 'configured', enabled: config.enabled, lazy: entry !== undefined});
		firstTry = connection.settled();
	};

	const tryAgain = (where: ReadonlySet<ServerStatus>) => {
		if (where.has(connection.state.status)) {
			connection.send({type: 'wanted'});
			firstTry = connection.settled();
		}
	};

	return {
		get config() {
			return config;
		},
		get tools() {
			return catalogue.tools;
		},
		get planned() {
			return catalogue.plan.tools;
		},
		view: () =>
			viewServer(
				{
					server: config,
					profile,
					state: connection.state,
					facts: said?.facts,
					tools: catalogue.views,
					offered: catalogue.plan.offered,
					stderr: lastOpened?.lastStderr(),
					pingMs: connection.pingMs,
					activeCalls,
					login: opening.login?.facts(),
					warnings: catalogue.warnings,
				},
				{clock, redact},
			),
		start: begin,
		tried: async () => firstTry,
		async configure(next) {
			const {reconnects, isOther} = diffServer(config, next);
			config = next;
			if (isOther || !config.enabled) {
				said = undefined;
				catalogue.clear();
			} else {
				catalogue.replan();
				save();
			}

			if (reconnects) {
				begin();
				await connection.ended();
			} else {
				// The time limits may have changed; and a server that is no longer lazy connects.
				const isWanted = !config.lazy && connection.state.status === 'lazy';
				connection.send({type: isWanted ? 'wanted' : 'woken'});
			}
		},
		retry: () => tryAgain(new Set(['failed', 'parked'])),
		loginChanged() {
			tryAgain(new Set(['needs login', 'failed', 'parked']));
			void opening.login?.state().then(onChange, onChange);
		},
		async connect() {
			connection.send({type: 'wanted'});
			connection.hurry();
			await connection.settled();
		},
		async disconnect() {
			connection.send({type: 'dismissed'});
			await connection.ended();
		},
		replan: () => catalogue.replan(),
		offer: () => said && {listed: said.tools, capabilities: said.facts.capabilities},
		failure: () => connection.why(),
		async [Symbol.asyncDispose]() {
			await connection[Symbol.asyncDispose]();
			await Promise.all([saved, catalogue.written()]);
		},
	};
}
