import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig, ToolsPolicy} from '../../../source/config/tool-server.ts';
import {planTools, type ToolsToPlan} from '../../../source/mcp/catalogue/plan-tools.ts';
import {makeServerConfig} from '../../helpers/make-server.ts';

/** A server of a test; `tools` is merged into its policy. */
export const serverConfig = ({
	tools,
	...overrides
}: Partial<Omit<ToolServerConfig, 'tools'>> & {
	tools?: Partial<ToolsPolicy>;
} = {}): ToolServerConfig =>
	makeServerConfig({
		endpoint: {transport: 'stdio', command: '/usr/bin/crm-server', args: [], env: {}},
		...overrides,
		tools: {exclude: [], resources: true, prompts: true, ...tools},
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
