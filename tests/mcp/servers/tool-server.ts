import type {
	RemoteEndpoint,
	StdioEndpoint,
	ToolServerConfig,
} from '../../../source/config/tool-server.ts';

/** A configured server with defaults. */
export const toolServer = <E extends StdioEndpoint | RemoteEndpoint>(
	endpoint: E,
	changes: Partial<ToolServerConfig> = {},
): ToolServerConfig & {readonly endpoint: E} => ({
	name: 'crm',
	enabled: true,
	trust: 'full',
	protocol: 'auto',
	timeoutMs: 300_000,
	connectTimeoutMs: 60_000,
	parallel: false,
	lazy: false,
	tools: {exclude: [], resources: true, prompts: true},
	sampling: {
		enabled: true,
		maxTokensCap: 4096,
		timeoutMs: 30_000,
		maxRpm: 10,
		allowedModels: [],
		maxToolRounds: 5,
	},
	elicitation: {enabled: true, timeoutMs: 300_000},
	...changes,
	endpoint,
});
