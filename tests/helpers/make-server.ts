import type {ToolServerConfig} from '../../source/config/tool-server.ts';
import type {ShownTool} from '../../source/core/approval.ts';
import type {ServerToolView, ServerView} from '../../source/core/tool-server.ts';

/** A connected server without tools; `overrides` win. */
export const makeServer = (overrides: Partial<ServerView> = {}): ServerView => ({
	name: 'crm',
	profile: 'default',
	transport: 'stdio',
	status: 'connected',
	since: 1_700_000_000_000,
	endpoint: 'crm-server --stdio',
	trust: 'full',
	tools: [],
	offered: 0,
	activeCalls: 0,
	warnings: [],
	...overrides,
});

/** A tool that asks nobody; `overrides` win. */
export const makeServerTool = (overrides: Partial<ServerToolView> = {}): ServerToolView => ({
	tool: 'search',
	name: 'mcp__crm__search',
	description: 'Searches',
	claims: {},
	asks: false,
	changed: false,
	args: [],
	...overrides,
});

/** A tool that a person is asked about; `overrides` win. */
export const makeShownTool = (overrides: Partial<ShownTool> = {}): ShownTool => ({
	server: 'crm',
	profile: 'default',
	tool: 'search',
	name: 'mcp__crm__search',
	transport: 'stdio',
	host: 'crm-server',
	trust: 'untrusted',
	claims: {},
	description: 'Searches',
	inputSchema: {type: 'object'},
	endpoint: 'e0'.repeat(32),
	definition: 'a'.repeat(64),
	changed: false,
	...overrides,
});

/** A server over stdio with the defaults of the configuration; `overrides` win. */
export const makeServerConfig = (overrides: Partial<ToolServerConfig> = {}): ToolServerConfig => ({
	name: 'crm',
	enabled: true,
	endpoint: {transport: 'stdio', command: 'crm-server', args: [], env: {}},
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
	...overrides,
});
