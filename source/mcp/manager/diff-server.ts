import {isDeepStrictEqual} from 'node:util';
import type {ToolServerConfig} from '../../config/tool-server.ts';

/** What decides over a key of an entry; the rest of its parsed form. */
const keys: ReadonlyArray<{
	/** As it stands in the file. */
	readonly key: string;
	readonly of: (server: ToolServerConfig) => unknown;
	/** A connection that was made with another value is of no use. */
	readonly connection: boolean;
}> = [
	{key: 'enabled', of: server => server.enabled, connection: true},
	{key: 'transport', of: ({endpoint}) => endpoint.transport, connection: true},
	...(['command', 'args', 'env'] as const).map(key => ({
		key,
		of: ({endpoint}: ToolServerConfig) =>
			endpoint.transport === 'stdio' ? endpoint[key] : undefined,
		connection: true,
	})),
	...(['url', 'headers', 'oauth'] as const).map(key => ({
		key,
		of: ({endpoint}: ToolServerConfig) =>
			endpoint.transport === 'stdio' ? undefined : endpoint[key],
		connection: true,
	})),
	{
		key: 'ssl_verify',
		of: ({endpoint}) => (endpoint.transport === 'stdio' ? undefined : endpoint.tls.verify),
		connection: true,
	},
	{
		key: 'client_cert',
		of: ({endpoint}) => (endpoint.transport === 'stdio' ? undefined : endpoint.tls.client),
		connection: true,
	},
	{
		key: 'skip_preflight',
		of: ({endpoint}) => (endpoint.transport === 'stdio' ? undefined : endpoint.skipPreflight),
		connection: true,
	},
	{
		key: 'idle_timeout_seconds',
		of: ({endpoint}) => (endpoint.transport === 'stdio' ? endpoint.idleMs : undefined),
		connection: false,
	},
	{
		key: 'max_lifetime_seconds',
		of: ({endpoint}) => (endpoint.transport === 'stdio' ? endpoint.lifetimeMs : undefined),
		connection: false,
	},
	{key: 'protocol', of: server => server.protocol, connection: true},
	{key: 'sampling', of: server => server.sampling, connection: true},
	{key: 'elicitation', of: server => server.elicitation, connection: true},
	{key: 'trust', of: server => server.trust, connection: true},
	{key: 'timeout', of: server => server.timeoutMs, connection: false},
	{key: 'connect_timeout', of: server => server.connectTimeoutMs, connection: false},
	{key: 'supports_parallel_tool_calls', of: server => server.parallel, connection: false},
	{key: 'keepalive_interval', of: server => server.keepaliveMs, connection: false},
	{key: 'lazy', of: server => server.lazy, connection: false},
	...(['include', 'exclude', 'resources', 'prompts'] as const).map(key => ({
		key: `tools.${key}`,
		of: ({tools}: ToolServerConfig) => tools[key],
		connection: false,
	})),
];

/** What is different between two versions of one server. */
export type ServerDifference = {
	/** As they stand in the file. Empty: nothing. */
	readonly keys: readonly string[];
	/** Whether the connection has to be made anew. */
	readonly reconnects: boolean;
	/** Whether it is another server now, whose old tools say nothing. */
	readonly isOther: boolean;
};

const identity: ReadonlySet<string> = new Set(['transport', 'command', 'args', 'url']);

/** Compares two versions of one server, as they are written. Pure. */
export function diffServer(before: ToolServerConfig, after: ToolServerConfig): ServerDifference {
	const different = keys.filter(({of}) => !isDeepStrictEqual(of(before), of(after)));
	return {
		keys: different.map(({key}) => key),
		reconnects: different.some(({connection}) => connection),
		isOther: different.some(({key}) => identity.has(key)),
	};
}
