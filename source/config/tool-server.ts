import type {JsonObject} from '../core/json.ts';

/** One entry of `mcp_servers` as it is written, with defaults. Texts hold their references until `expandServer`. @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers */
export type ToolServerConfig = {
	readonly name: string;
	readonly enabled: boolean;
	readonly endpoint: StdioEndpoint | RemoteEndpoint;
	readonly trust: 'full' | 'untrusted';
	readonly protocol: 'auto' | 'stateless' | 'legacy';
	readonly timeoutMs: number;
	readonly connectTimeoutMs: number;
	/** Calls run side by side; otherwise one after the other. */
	readonly parallel: boolean;
	readonly lazy: boolean;
	/** Absent: 180 s for remote servers, none for stdio. At least 5 s. */
	readonly keepaliveMs?: number;
	readonly tools: ToolsPolicy;
	readonly sampling: SamplingPolicy;
	readonly elicitation: {readonly enabled: boolean; readonly timeoutMs: number};
};

export type StdioEndpoint = {
	readonly transport: 'stdio';
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** The connection ends when no call came for so long; absent: never. */
	readonly idleMs?: number;
	/** The connection ends at this age, between two calls; absent: never. */
	readonly lifetimeMs?: number;
};

export type RemoteEndpoint = {
	readonly transport: 'http' | 'sse';
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly tls: {
		/** `true`: the CAs of Node and of the system. A text: path of a PEM bundle that replaces them. */
		readonly verify: boolean | string;
		/** Paths of PEM files; `key` absent: in the same file. */
		readonly client?: {readonly cert: string; readonly key?: string; readonly password?: string};
	};
	readonly skipPreflight: boolean;
	/** `auth: oauth`, with the mapping of manual/tool-servers.md#logins as it is written. */
	readonly oauth?: JsonObject;
};

/** @see manual/tool-servers.md#which-tools-a-server-offers */
export type ToolsPolicy = {
	/** Names or globs; an empty list lets none through. Wins over `exclude`. */
	readonly include?: readonly string[];
	readonly exclude: readonly string[];
	readonly resources: boolean;
	readonly prompts: boolean;
};

/** Whether, and how far, a server may ask our model. @see manual/tool-servers.md */
export type SamplingPolicy = {
	/** True, but false for an untrusted server that does not say so. */
	readonly enabled: boolean;
	readonly model?: string;
	readonly maxTokensCap: number;
	readonly timeoutMs: number;
	/** Requests in a minute. */
	readonly maxRpm: number;
	/** Models that a server may name; empty: none but the configured one. */
	readonly allowedModels: readonly string[];
	/** Requests that answer with tool results, in a row. */
	readonly maxToolRounds: number;
};
