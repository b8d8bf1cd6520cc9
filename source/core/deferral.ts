import {estimatedTokens} from './bounds.ts';
import {countOf, grouped} from './names.ts';
import {maxToolsOfRun, type Tool} from './tool.ts';

/** Estimated tokens of a tool's definition in a request to a model. */
export const schemaTokens = ({
	name,
	description,
	inputSchema,
}: Pick<Tool, 'name' | 'description' | 'inputSchema'>): number =>
	estimatedTokens(JSON.stringify({name, description, inputSchema}).length);

/** The facts about a tool that decide whether tools are deferred: left out of requests, to be found with `tool_search`. */
export type WeighedTool = {
	/** Built-in tools are never deferred. */
	readonly isOfServer: boolean;
	/** See `schemaTokens`. */
	readonly tokens: number;
};

const isTooMuch = (tools: readonly WeighedTool[], maxSchemaTokens: number): boolean =>
	tools.some(({isOfServer}) => isOfServer) &&
	(tools.length > maxToolsOfRun ||
		tools.reduce((sum, {tokens}) => sum + tokens, 0) > maxSchemaTokens);

/** The sentence for people, with the exceeded limit. */
function deferredText(tools: readonly WeighedTool[], maxSchemaTokens: number): string {
	const all = tools.length;
	const deferred = tools.filter(({isOfServer}) => isOfServer).length;
	const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
	const why =
		all > maxToolsOfRun
			? `a request takes ${maxToolsOfRun}`
			: `${grouped(tokens)} tokens, and tools.max_schema_tokens is ${grouped(maxSchemaTokens)}`;
	return `${countOf(all, 'tool')}, ${deferred === all ? 'all' : grouped(deferred)} of them deferred (${why}): the model finds them with tool_search`;
}

/** A sentence with the number of deferred tools of a run, and the reason; `undefined`: none are deferred. @see manual/tool-servers.md#many-tools */
export const deferralOf = (
	tools: readonly WeighedTool[],
	maxSchemaTokens: number,
): string | undefined =>
	isTooMuch(tools, maxSchemaTokens) ? deferredText(tools, maxSchemaTokens) : undefined;
