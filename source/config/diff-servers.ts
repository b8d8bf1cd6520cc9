import {differingKeys} from './differing-keys.ts';
import type {ToolServerConfig} from './tool-server.ts';

/** What a reload changes of the tool servers, by name. */
export type ServersDiff = {
	readonly added: readonly string[];
	readonly removed: readonly string[];
	readonly changed: ReadonlyArray<{
		readonly name: string;
		/** As in the file: `tools.include`, `timeout`. */
		readonly keys: readonly string[];
	}>;
	readonly unchanged: readonly string[];
};

type Servers = ReadonlyMap<string, ToolServerConfig>;

/** The difference between two sets of servers, deeply compared as they are written: what another variable changes is no difference. Pure. */
export function diffServers(before: Servers, after: Servers): ServersDiff {
	const compared = [...after.values()].flatMap(server => {
		const old = before.get(server.name);
		return old ? [{name: server.name, keys: keysThatDiffer(old, server)}] : [];
	});
	return {
		added: [...after.keys()].filter(name => !before.has(name)),
		removed: [...before.keys()].filter(name => !after.has(name)),
		changed: compared.filter(({keys}) => keys.length > 0),
		unchanged: compared.filter(({keys}) => keys.length === 0).map(({name}) => name),
	};
}

const lookedInto: ReadonlySet<string> = new Set([
	'endpoint',
	'tls',
	'client',
	'oauth',
	'tools',
	'sampling',
	'elicitation',
]);

const keysThatDiffer = (before: ToolServerConfig, after: ToolServerConfig): readonly string[] => {
	const keys = differingKeys(before, after, lookedInto).map(wireName);
	return [...new Set(keys)];
};

/** What some keys are called in the file; the others differ in their writing alone. */
const wireNames: Readonly<Record<string, string>> = {
	timeoutMs: 'timeout',
	connectTimeoutMs: 'connect_timeout',
	parallel: 'supports_parallel_tool_calls',
	keepaliveMs: 'keepalive_interval',
	'endpoint.idleMs': 'idle_timeout_seconds',
	'endpoint.lifetimeMs': 'max_lifetime_seconds',
	'endpoint.tls': 'ssl_verify',
	'endpoint.tls.verify': 'ssl_verify',
	'endpoint.tls.client': 'client_cert',
	'endpoint.tls.client.cert': 'client_cert',
	'endpoint.tls.client.password': 'client_cert',
	'endpoint.tls.client.key': 'client_key',
	'endpoint.oauth': 'auth',
	'sampling.timeoutMs': 'sampling.timeout',
	'elicitation.timeoutMs': 'elicitation.timeout',
};

const wireName = (key: string): string =>
	wireNames[key] ??
	key.replace(/^endpoint\./, '').replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
