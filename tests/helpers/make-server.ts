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
