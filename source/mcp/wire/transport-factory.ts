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

/** Creates transports to a gateway's tool servers. Disposing ends every remaining process. */
export type TransportFactory = AsyncDisposable & {
	readonly open: OpenTransport;
	/**
	 * Fails if a Streamable HTTP endpoint's answer cannot be a tool server's; takes at most 5 s, and probes an endpoint only once. Passes for other transports,
	 * with `skip_preflight`, and on network failures.
	 *
	 * @throws ConnectError
	 * @see manual/tool-servers.md#settings
	 */
	preflight(
		server: ToolServerConfig,
		options: {readonly signal: AbortSignal; readonly secrets: readonly string[]},
	): Promise<void>;
	/** Whether an endpoint that refused a Streamable HTTP handshake with `refusal` uses the older SSE transport; takes at most 5 s. Never rejects. */
	isSse(
		server: ToolServerConfig,
		options: {readonly signal: AbortSignal; readonly refusal: unknown},
	): Promise<boolean>;
};

export type TransportFactoryDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly paths: Pick<HomePaths, 'mcpStderrLog' | 'mcpProcesses'>;
	/** The process's environment: the base for stdio servers, and the source of proxies. */
	readonly environment: Environment;
	/** The trusted certificate authorities for TLS; absent: those of Node and the system. */
	readonly authorities?: Authorities;
	/** Resolves the host names of remote servers; absent: the system's resolver. */
	readonly resolve?: ResolveName;
};

const nobodyElse = {tls: {ca: []}, environment: {}, paths: {home: '/'}};

/** How many endpoints known to be tool servers are remembered. */
const maxPassed = 1000;

export function createTransportFactory(world: TransportFactoryDependencies): TransportFactory {
	const {clock, log, paths, environment} = world;
	const {authorities = createAuthorities(() => nobodyElse, {log})} = world;
	const groups = createProcessGroups({clock, log, ledgerPath: paths.mcpProcesses, environment});
	const stderrLog = createStderrLog({path: paths.mcpStderrLog, clock});
	const parts: TransportParts = {...world, authorities, groups, stderrLog};
	const opened = new Set<OpenedTransport>();
	const passed = new Set<string>();
	// Started at once: an earlier process may have left groups even if no stdio server is configured any more.
	void groups.ready();

	/** Disposed of with the factory, in case its owner does not. */
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
