import {countOf, grouped} from './counted.ts';
import {estimatedTokens} from './estimated-tokens.ts';
import {maxToolsOfRun, type Tool} from './tool.ts';

/** Tokens that the definition of a tool takes in a request. */
export const schemaTokens = ({
	name,
	description,
	inputSchema,
}: Pick<Tool, 'name' | 'description' | 'inputSchema'>): number =>
	estimatedTokens(JSON.stringify({name, description, inputSchema}).length);

/** A tool as far as it counts for whether tools are deferred. */
export type WeighedTool = {
	/** Those of svc's own are never deferred. */
	readonly isOfServer: boolean;
	/** See `schemaTokens`. */
	readonly tokens: number;
};

/** Whether the tools of a run are more than a request carries. @see manual/tool-servers.md#many-tools */
export const isTooMuch = (tools: readonly WeighedTool[], maxSchemaTokens: number): boolean =>
	tools.some(({isOfServer}) => isOfServer) &&
	(tools.length > maxToolsOfRun ||
		tools.reduce((sum, {tokens}) => sum + tokens, 0) > maxSchemaTokens);

/** What a person is told of it. */
export const deferredText = (all: number, deferred: number): string =>
	`${countOf(all, 'tool')}, ${deferred === all ? 'all' : grouped(deferred)} of them deferred: the model finds them with tool_search`;

/** The same of tools as a face knows them; `undefined`: nothing is deferred. */
export const deferralOf = (
	tools: readonly WeighedTool[],
	maxSchemaTokens: number,
): string | undefined =>
	isTooMuch(tools, maxSchemaTokens)
		? deferredText(tools.length, tools.filter(({isOfServer}) => isOfServer).length)
		: undefined;
