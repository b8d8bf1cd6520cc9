import type {JsonObject} from '../core/json.ts';
import type {programSettings, remoteSettings} from './endpoint-settings.ts';
import type {serverSettings} from './tool-server-settings.ts';

type Settings = ReturnType<typeof serverSettings.read>;

/**
 * One entry of `mcp_servers` as written, with defaults. Texts contain references until `expandServer`.
 *
 * @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers
 */
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
		/** `true`: trusts `Authorities`. A text: path of a PEM bundle of the authorities to trust instead. */
		readonly verify: boolean | string;
		/** Paths of PEM files; `key` absent: in the same file. */
		readonly client?: {readonly cert: string; readonly key?: string; readonly password?: string};
	};
	/** Present with `auth: oauth`: the mapping of manual/tool-servers.md#logins as written. */
	readonly oauth?: JsonObject;
};

/** @see manual/tool-servers.md#which-tools-a-server-offers */
export type ToolsPolicy = Settings['tools'] & {
	readonly resources: boolean;
	readonly prompts: boolean;
};

/** Whether, and how much, a server may use our model. `enabled` defaults to true, for an untrusted server to false. @see manual/tool-servers.md */
export type SamplingPolicy = Settings['sampling'] & {readonly enabled: boolean};
