import {availableParallelism} from 'node:os';
import {diffServer} from '../../config/diff-config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {SvcError} from '../../core/errors.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import {openPins, type Pins} from '../catalogue/pins.ts';
import {planTools} from '../catalogue/plan-tools.ts';
import {openSchemaCache} from '../catalogue/schema-cache.ts';
import {createCallQueue} from '../connection/call-queue.ts';
import {waitAtMost} from '../connection/with-deadline.ts';
import type {PlannedServerChange, ServerManager, ServerManagerDependencies} from '../contract.ts';
import {ConnectError} from '../wire/connect-error.ts';
import {createToolNameReservations} from './tool-name-reservations.ts';
import {createToolServer, type ToolServer} from './tool-server.ts';

/** Starts without servers: `apply` sets them. Disposing ends every connection and process, after which no callback is called. */
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
			onReserve: reserved => reservations.reserve(name, reserved),
			onChange: () => changed.mark(name),
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
		// Lazy servers connect too if nothing is cached for them.
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
					// A missing variable, file or program may exist now.
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
		async ready(signal, isNeeded = () => true) {
			const timeoutMs = Math.max(0, connectsUntil - clock.monotonic());
			const needed = [...servers.values()].filter(({config}) => isNeeded(config.name));
			const tried = Promise.all(needed.map(async server => server.tried()));
			await waitAtMost({clock, timeoutMs, signal}, tried);
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
		loginChanged: name => servers.get(name)?.loginChanged(),
		async accept(tool) {
			await (await pins).accept({profile: dependencies.profile, ...tool});
			servers.get(tool.server)?.replan();
		},
		async test(config) {
			requireEnabled(config);
			return testToolServer(config, {...dependencies, pins: await pins});
		},
		async [Symbol.asyncDispose]() {
			stopping.abort(new SvcError('gateway_stopping', 'The gateway is stopping'));
			changed[Symbol.dispose]();
			// Waits for an `apply` in progress, so that servers it opens are closed too.
			await changeover.run(new AbortController().signal, async () => {});
			await Promise.all([...servers.values()].map(async server => server[Symbol.asyncDispose]()));
			servers.clear();
		},
	};
}

const byName = (a: ToolServerConfig, b: ToolServerConfig): number => (a.name < b.name ? -1 : 1);

/** "No connection, discovery or registration". @see manual/tool-servers.md#settings */
function requireEnabled({name, enabled}: ToolServerConfig): void {
	if (!enabled) {
		const text = `Cannot connect to the tool server "${name}": it is switched off, set "enabled: true"`;
		throw new SvcError('server_disabled', text);
	}
}

/** Batches marks and reports them once per turn of the event loop. Disposing drops unreported ones. */
export type ChangeBatch = Disposable & {mark(name: string): void};

export function createChangeBatch(tell: (name: string) => void): ChangeBatch {
	const marked = new Set<string>();
	let planned: NodeJS.Immediate | undefined;
	let disposed = false;
	return {
		mark(name) {
			if (disposed) {
				return;
			}

			marked.add(name);
			planned ??= setImmediate(() => {
				planned = undefined;
				const names = [...marked];
				marked.clear();
				for (const each of names) {
					tell(each);
				}
			});
		},
		[Symbol.dispose]() {
			disposed = true;
			clearImmediate(planned);
		},
	};
}

/**
 * Connects to a server in addition to existing connections, lists its tools, and disconnects. Stores nothing.
 *
 * @throws ConnectError
 */
async function testToolServer(
	config: ToolServerConfig,
	dependencies: ServerManagerDependencies & {readonly pins: Pins},
): Promise<TestedServer> {
	const {clock, pins} = dependencies;
	const start = clock.monotonic();
	await using server = createToolServer(
		{...config, enabled: true, lazy: false},
		{
			...dependencies,
			pins: {...pins, remember: async () => {}},
			cache: {get: () => undefined, put: async () => {}},
			slots: createCallQueue(1),
			random: Math.random,
			taken: () => new Set(),
			onReserve() {},
			onChange() {},
		},
	);
	server.start();
	await server.tried();
	const failure = server.failure();
	if (failure) {
		throw new ConnectError(failure);
	}

	return {server: server.view(), durationMs: clock.monotonic() - start};
}

/** The effect of `next` on the current servers. Pure, except for reading their offers. */
function planServers(
	present: ReadonlyMap<string, ToolServer>,
	next: ReadonlyMap<string, ToolServerConfig>,
	{profile}: {readonly profile: string},
): readonly PlannedServerChange[] {
	const names = [...new Set([...present.keys(), ...next.keys()])].toSorted();
	return names.flatMap(name => changeOf({name, profile}, present.get(name), next.get(name)) ?? []);
}

/** What would be registered of a server's last list. */
function afterwards(
	server: ToolServer,
	config: ToolServerConfig,
	profile: string,
): Pick<PlannedServerChange, 'tools' | 'lostTools'> {
	const before = server.planned;
	const offer = server.offer();
	if (!offer) {
		return {lostTools: []};
	}

	// Only names and counts are used.
	const known = {trustsNewTools: true, definitions: new Map()};
	const toPlan = {server: config, profile, ...offer, known, taken: new Set<string>()};
	const after = config.enabled ? planTools(toPlan).tools : [];
	const kept = new Set(after.map(({tool, kind}) => `${kind} ${tool}`));
	return {
		tools: {before: before.length, after: after.length},
		lostTools: before.filter(({tool, kind}) => !kept.has(`${kind} ${tool}`)).map(({tool}) => tool),
	};
}

function changeOf(
	{name, profile}: {readonly name: string; readonly profile: string},
	server: ToolServer | undefined,
	config: ToolServerConfig | undefined,
): PlannedServerChange | undefined {
	if (!server) {
		return {name, kind: 'added', keys: [], isOther: false, closes: false, lostTools: []};
	}

	const isConnected = server.failure() === undefined;
	if (!config) {
		const lostTools = server.planned.map(({tool}) => tool);
		return {name, kind: 'removed', keys: [], isOther: true, closes: isConnected, lostTools};
	}

	const {keys, reconnects, isOther} = diffServer(server.config, config);
	if (keys.length === 0) {
		return undefined;
	}

	const tools = isOther ? {lostTools: []} : afterwards(server, config, profile);
	return {name, kind: 'changed', keys, isOther, closes: reconnects && isConnected, ...tools};
}
