import type {JsonObject, JsonValue} from '../core/json.ts';
import type {RawToolServer} from './tool-server-schema.ts';
import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from './tool-server.ts';

const secondMs = 1000;
const shortestKeepalive = 5;
const remoteKeepalive = 180;

/** `mcp_servers` as the gateway uses it: defaults filled in, milliseconds, references as they are written. In the order of the file. @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers */
export const toolServersOf = (
	written: Readonly<Record<string, RawToolServer>> | null | undefined,
): ReadonlyMap<string, ToolServerConfig> =>
	new Map(
		Object.entries(written ?? {}).map(([name, server]) => [name, toolServerOf(name, server)]),
	);

function toolServerOf(name: string, server: RawToolServer): ToolServerConfig {
	const endpoint = server.url ? remoteOf(server, server.url) : stdioOf(server);
	const trust = trustOf(server.trust);
	const keepalive =
		server.keepalive_interval ?? (endpoint.transport === 'stdio' ? undefined : remoteKeepalive);
	return {
		name,
		enabled: server.enabled ?? true,
		endpoint,
		trust,
		protocol: protocolOf(server.protocol) ?? 'auto',
		timeoutMs: toMs(server.timeout ?? 300),
		connectTimeoutMs: toMs(server.connect_timeout ?? 60),
		parallel: server.supports_parallel_tool_calls ?? false,
		lazy: server.lazy ?? false,
		...(keepalive !== undefined && {keepaliveMs: toMs(Math.max(shortestKeepalive, keepalive))}),
		tools: toolsOf(server.tools),
		sampling: samplingOf(server.sampling, trust),
		elicitation: {
			enabled: server.elicitation?.enabled ?? true,
			timeoutMs: toMs(server.elicitation?.timeout ?? 300),
		},
	};
}

/** At least 1: no timer counts finer. */
const toMs = (amount: number): number => Math.max(1, Math.round(amount * secondMs));

function stdioOf(server: RawToolServer): StdioEndpoint {
	const {idle_timeout_seconds: idle, max_lifetime_seconds: lifetime} = recyclingOf(server);
	return {
		transport: 'stdio',
		command: server.command ?? '',
		args: server.args ?? [],
		env: withoutGaps(server.env),
		...(idle && {idleMs: toMs(idle)}),
		...(lifetime && {lifetimeMs: toMs(lifetime)}),
	};
}

/** What stands beside `command` counts, then what stands under `lifecycle`. */
const recyclingOf = ({lifecycle, ...server}: RawToolServer) => ({
	idle_timeout_seconds: server.idle_timeout_seconds ?? lifecycle?.idle_timeout_seconds,
	max_lifetime_seconds: server.max_lifetime_seconds ?? lifecycle?.max_lifetime_seconds,
});

function remoteOf(server: RawToolServer, url: string): RemoteEndpoint {
	const client = clientOf(server);
	return {
		transport: server.transport === 'sse' ? 'sse' : 'http',
		url,
		headers: withoutGaps(server.headers),
		tls: {verify: server.ssl_verify ?? true, ...(client && {client})},
		skipPreflight: server.skip_preflight ?? false,
		...(server.auth && {oauth: withoutNulls(server.oauth ?? {})}),
	};
}

function clientOf({client_cert: written, client_key}: RawToolServer) {
	const [cert, key = client_key, password] = [written ?? []].flat();
	return cert === undefined ? undefined : {cert, ...(key && {key}), ...(password && {password})};
}

const withoutGaps = (
	written: Readonly<Record<string, string | null | undefined>> | null | undefined,
): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(written ?? {}).filter(
			(entry): entry is [string, string] => typeof entry[1] === 'string',
		),
	);

const withoutNulls = (written: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
	Object.fromEntries(
		Object.entries(written).filter(
			(entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
		),
	);

/**
 * The two kinds of utility tools are offered unless something is said; where one of them is switched on, the other is left out: "`include: []` with
 * `resources: true` yields a resource-only server".
 */
function toolsOf(tools: RawToolServer['tools']): ToolServerConfig['tools'] {
	return {
		...(tools?.include && {include: tools.include}),
		exclude: tools?.exclude ?? [],
		resources: tools?.resources ?? tools?.prompts !== true,
		prompts: tools?.prompts ?? tools?.resources !== true,
	};
}

const samplingOf = (
	sampling: RawToolServer['sampling'],
	trust: ToolServerConfig['trust'],
): ToolServerConfig['sampling'] => ({
	enabled: sampling?.enabled ?? trust === 'full',
	...(sampling?.model && {model: sampling.model}),
	maxTokensCap: sampling?.max_tokens_cap ?? 4096,
	timeoutMs: toMs(sampling?.timeout ?? 30),
	maxRpm: sampling?.max_rpm ?? 10,
	allowedModels: sampling?.allowed_models ?? [],
	maxToolRounds: sampling?.max_tool_rounds ?? 5,
});

const plain = (written: unknown): unknown =>
	typeof written === 'string' ? written.trim().toLowerCase() : written;

/** "`trust` trimmed, case-insensitive"; "Unrecognised values are treated as `untrusted`". Absent: `full`. */
const trustOf = (written: unknown): ToolServerConfig['trust'] =>
	[undefined, null, 'full'].some(word => word === plain(written)) ? 'full' : 'untrusted';

/** `undefined`: absent, or a word that nobody knows. */
const protocolOf = (written: unknown) =>
	(['auto', 'stateless', 'legacy'] as const).find(word => word === plain(written));
