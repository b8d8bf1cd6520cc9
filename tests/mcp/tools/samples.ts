import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig, ToolsPolicy} from '../../../source/config/tool-server.ts';
import {planTools, type ToolsToPlan} from '../../../source/mcp/tools/registry.ts';

/** A server of a test; `tools` is merged into its policy. */
export const serverConfig = ({
	tools,
	...overrides
}: Partial<Omit<ToolServerConfig, 'tools'>> & {
	tools?: Partial<ToolsPolicy>;
} = {}): ToolServerConfig => ({
	name: 'crm',
	enabled: true,
	endpoint: {transport: 'stdio', command: '/usr/bin/crm-server', args: [], env: {}},
	trust: 'full',
	protocol: 'auto',
	timeoutMs: 300_000,
	connectTimeoutMs: 60_000,
	parallel: false,
	lazy: false,
	tools: {exclude: [], resources: true, prompts: true, ...tools},
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

export const listed = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
	name,
	inputSchema: {type: 'object'},
	...more,
});

/** The plan for a server without resources and prompts whose tools were never seen. */
export const plan = (names: ReadonlyArray<string | ListedTool>, more: Partial<ToolsToPlan> = {}) =>
	planTools({
		server: serverConfig(),
		profile: 'default',
		listed: names.map(tool => (typeof tool === 'string' ? listed(tool) : tool)),
		capabilities: {resources: false, prompts: false},
		known: {trustsNewTools: true, definitions: new Map()},
		taken: new Set(),
		...more,
	});
