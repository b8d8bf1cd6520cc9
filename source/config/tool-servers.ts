import type {JsonObject, JsonValue} from '../core/json.ts';
import {units} from '../core/schema-parts.ts';
import {programSettings, remoteSettings} from './endpoint-settings.ts';
import type {RawToolServer} from './tool-server-schema.ts';
import {serverSettings} from './tool-server-settings.ts';
import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from './tool-server.ts';

const minKeepaliveSeconds = 5;
const remoteKeepalive = 180;

/**
 * `mcp_servers` as the gateway uses it: with defaults, times in milliseconds, references unresolved. In the order of the file.
 *
 * @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers
 */
export const toolServersOf = (
	written: Readonly<Record<string, RawToolServer>> | null | undefined,
): ReadonlyMap<string, ToolServerConfig> =>
	new Map(
		Object.entries(written ?? {}).map(([name, server]) => [name, toolServerOf(name, server)]),
	);

function toolServerOf(name: string, server: RawToolServer): ToolServerConfig {
	const {tools, sampling, ...settings} = serverSettings.read(server);
	const keepalive = server.keepalive_interval ?? (server.url ? remoteKeepalive : undefined);
	return {
		...settings,
		name,
		endpoint: server.url ? remoteOf(server, server.url) : stdioOf(server),
		...(keepalive !== undefined && {
			keepaliveMs: Math.round(Math.max(minKeepaliveSeconds, keepalive) * units.seconds),
		}),
		// Both kinds of utility tools are offered by default; if one of them is switched on, the other defaults to off: "`include: []` with `resources: true` yields a
		// resource-only server".
		tools: {
			...tools,
			resources: tools.resources ?? tools.prompts !== true,
			prompts: tools.prompts ?? tools.resources !== true,
		},
		sampling: {...sampling, enabled: sampling.enabled ?? settings.trust === 'full'},
	};
}

/** Keys beside `command` take precedence over those under `lifecycle`. */
const stdioOf = ({lifecycle, ...server}: RawToolServer): StdioEndpoint => ({
	...programSettings.read({
		...server,
		idle_timeout_seconds: server.idle_timeout_seconds ?? lifecycle?.idle_timeout_seconds,
		max_lifetime_seconds: server.max_lifetime_seconds ?? lifecycle?.max_lifetime_seconds,
	}),
	transport: 'stdio',
	command: server.command ?? '',
});

function remoteOf(server: RawToolServer, url: string): RemoteEndpoint {
	const client = clientOf(server);
	return {
		...remoteSettings.read(server),
		transport: server.transport === 'sse' ? 'sse' : 'http',
		url,
		tls: {verify: server.ssl_verify ?? true, ...(client && {client})},
		...(server.auth && {oauth: withoutNulls(server.oauth ?? {})}),
	};
}

function clientOf({client_cert: written, client_key}: RawToolServer) {
	const [cert, key = client_key, password] = [written ?? []].flat();
	return cert === undefined ? undefined : {cert, ...(key && {key}), ...(password && {password})};
}

const withoutNulls = (written: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
	Object.fromEntries(
		Object.entries(written).filter(
			(entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
		),
	);
