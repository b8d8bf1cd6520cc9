import type {JsonObject} from '../core/json.ts';
import type {programSettings, remoteSettings} from './endpoint-settings.ts';
import type {serverSettings} from './tool-server-settings.ts';

type Settings = ReturnType<typeof serverSettings.read>;

/** One entry of `mcp_servers` as it is written, with defaults. Texts hold their references until `expandServer`. @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers */
export type ToolServerConfig = Omit<Settings, 'tools' | 'sampling'> & {
	readonly name: string;
	readonly endpoint: StdioEndpoint | RemoteEndpoint;
	/** Absent: 180 s for remote servers, none for stdio. At least 5 s. */
	readonly keepaliveMs?: number;
	readonly tools: ToolsPolicy;
	readonly sampling: SamplingPolicy;
};

export type StdioEndpoint = ReturnType<typeof programSettings.read> & {
	readonly transport: 'stdio';
	readonly command: string;
};

export type RemoteEndpoint = ReturnType<typeof remoteSettings.read> & {
	readonly transport: 'http' | 'sse';
	readonly url: string;
	readonly tls: {
		/** `true`: whom `Authorities` trusts. A text: path of a PEM bundle that replaces them. */
		readonly verify: boolean | string;
		/** Paths of PEM files; `key` absent: in the same file. */
		readonly client?: {readonly cert: string; readonly key?: string; readonly password?: string};
	};
	/** `auth: oauth`, with the mapping of manual/tool-servers.md#logins as it is written. */
	readonly oauth?: JsonObject;
};

/** @see manual/tool-servers.md#which-tools-a-server-offers */
export type ToolsPolicy = Settings['tools'] & {
	readonly resources: boolean;
	readonly prompts: boolean;
};

/** Whether, and how far, a server may ask our model. `enabled`: true, but false for an untrusted server that does not say so. @see manual/tool-servers.md */
export type SamplingPolicy = Settings['sampling'] & {readonly enabled: boolean};
