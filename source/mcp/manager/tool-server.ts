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

/** Calls of one server that run side by side, where they may. */
const maxParallelCalls = 64;

export type ToolServerDependencies = Omit<ServerManagerDependencies, 'onChange' | 'onRemoved'> & {
	readonly pins: Pins;
	readonly cache: SchemaCache;
	readonly slots: CallQueue;
	/** From 0 to 1, 1 excluded. */
	readonly random: () => number;
	/** Names that other servers reserve. */
	readonly taken: () => ReadonlySet<string>;
	/** The names that its tools reserve are others. */
	readonly onReserve: (reserved: ReadonlySet<string>) => void;
	/** Something of `view()` is different. */
	readonly onChange: () => void;
};

/** One tool server, whether it is connected or not. Disposal ends its connection and calls nothing back afterwards. */
export type ToolServer = AsyncDisposable & {
	readonly config: ToolServerConfig;
	/** What is registered now. */
	readonly tools: readonly Tool[];
	readonly planned: readonly PlannedTool[];
	view(): ServerView;
	/** Resolves when it has connected, or failed, for the first time since it was configured; at once when it does not connect by itself. */
	tried(): Promise<void>;
	/** Takes a changed entry over; the connection stays when it can. Resolves when what had to end has ended. */
	configure(config: ToolServerConfig): Promise<void>;
	/** Tries at once what failed or is parked. */
	retry(): void;
	/** What is stored of its login is another: it connects when it waits for one. A connection that stands takes the new tokens with its next request. */
	loginChanged(): void;
	/** Resolves when it has connected or failed. */
	connect(): Promise<void>;
	/** Resolves when the connection has ended. */
	disconnect(): Promise<void>;
	/** Makes its list into tools again. */
	replan(): void;
	/** What it said last, to be planned under another policy; `undefined` before it was connected or cached. */
	offer(): Pick<ToolsToPlan, 'listed' | 'capabilities'> | undefined;
	/** Why there is no connection; `undefined` when there is one. */
	failure(): ConnectFailure | undefined;
};

/** A server that has not been started: `start()` is the first `configure()`. */
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

	/** Keeps what the server said for the next start, under the policy of now. */
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
				// Its times may be others; and what is not lazy any more connects.
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
