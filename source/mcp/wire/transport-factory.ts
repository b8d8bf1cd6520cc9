import {type Authorities, createAuthorities} from '../../config/authorities.ts';
import type {HomePaths} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ResolveName} from '../../core/address-scope.ts';
import type {World} from '../../core/world.ts';
import type {OpenedTransport, OpenTransport} from './open-transport.ts';
import {createProcessGroups} from './process-groups.ts';
import {createStderrLog} from './stderr-log.ts';
import type {TransportParts} from './transport-parts.ts';

/** How bytes travel to the tool servers of a gateway. Disposal ends every process that is left. */
export type TransportFactory = AsyncDisposable & {
	readonly open: OpenTransport;
	/**
	 * Fails for a Streamable HTTP endpoint that answers with something that cannot be a tool server; takes at most 5 s, asks an endpoint once. Passes
	 * for every other transport, with `skip_preflight`, and when the network is in the way.
	 *
	 * @throws ConnectError
	 * @see manual/tool-servers.md#settings
	 */
	preflight(
		server: ToolServerConfig,
		options: {readonly signal: AbortSignal; readonly secrets: readonly string[]},
	): Promise<void>;
	/** Whether an endpoint that refused a handshake over Streamable HTTP with `refusal` is one of the older SSE transport; takes at most 5 s. Never rejects. */
	isSse(
		server: ToolServerConfig,
		options: {readonly signal: AbortSignal; readonly refusal: unknown},
	): Promise<boolean>;
};

export type TransportFactoryDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly paths: Pick<HomePaths, 'mcpStderrLog' | 'mcpProcesses'>;
	/** The process's own: the baseline of stdio servers and the proxies come from here. */
	readonly environment: Environment;
	/** Whom TLS connections trust; absent: Node's and the system's authorities. */
	readonly authorities?: Authorities;
	/** Looks up the names of remote servers; absent: as the system does. */
	readonly resolve?: ResolveName;
};

const nobodyElse = {tls: {ca: []}, environment: {}, paths: {home: '/'}};

/** Endpoints that are known to be tool servers. */
const maxPassed = 1000;

export function createTransportFactory(world: TransportFactoryDependencies): TransportFactory {
	const {clock, log, paths, environment} = world;
	const {authorities = createAuthorities(() => nobodyElse, {log})} = world;
	const groups = createProcessGroups({clock, log, ledgerPath: paths.mcpProcesses, environment});
	const stderrLog = createStderrLog({path: paths.mcpStderrLog, clock});
	const parts: TransportParts = {...world, authorities, groups, stderrLog};
	const opened = new Set<OpenedTransport>();
	const passed = new Set<string>();
	// At once: there may be something left though no stdio server is configured any more.
	void groups.ready();

	/** Disposed of with the factory, should its owner forget. */
	const keep = (made: OpenedTransport): OpenedTransport => {
		const kept: OpenedTransport = {
			...made,
			async [Symbol.asyncDispose]() {
				opened.delete(kept);
				await made[Symbol.asyncDispose]();
			},
		};
		opened.add(kept);
		return kept;
	};

	return {
		async open(server, options) {
			options.signal.throwIfAborted();
			const {endpoint} = server;
			if (endpoint.transport === 'stdio') {
				const {openStdio} = await import('./open-stdio.ts');
				return keep(await openStdio({...server, endpoint}, options, parts));
			}

			const {openRemote} = await import('./open-remote.ts');
			return keep(openRemote({...server, endpoint}, options, parts));
		},
		async preflight(server, options) {
			options.signal.throwIfAborted();
			const {endpoint} = server;
			if (endpoint.transport !== 'http' || endpoint.skipPreflight) {
				return;
			}

			const key = JSON.stringify(endpoint);
			if (!passed.has(key)) {
				const {preflight} = await import('./preflight.ts');
				if (await preflight({...server, endpoint}, options, parts)) {
					remember(passed, key);
				}
			}
		},
		async isSse(server, {signal, refusal}) {
			const {endpoint} = server;
			if (endpoint.transport !== 'http') {
				return false;
			}

			const [{looksLikeSse, mayBeSse}, {httpStatusOf}] = await Promise.all([
				import('./preflight.ts'),
				import('./explain.ts'),
			]);
			return mayBeSse(httpStatusOf(refusal)) && looksLikeSse({...server, endpoint}, signal, parts);
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([...opened].map(async each => each[Symbol.asyncDispose]()));
			await groups[Symbol.asyncDispose]();
			await stderrLog[Symbol.asyncDispose]();
		},
	};
}

function remember(keys: Set<string>, key: string): void {
	if (keys.size >= maxPassed) {
		keys.clear();
	}

	keys.add(key);
}
