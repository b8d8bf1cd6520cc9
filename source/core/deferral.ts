import {estimatedTokens} from './bounds.ts';
import {countOf, grouped} from './names.ts';
import {maxToolsOfRun, type Tool} from './tool.ts';

/** Tokens that the definition of a tool takes in a request. */
export const schemaTokens = ({
	name,
	description,
	inputSchema,
}: Pick<Tool, 'name' | 'description' | 'inputSchema'>): number =>
	estimatedTokens(JSON.stringify({name, description, inputSchema}).length);

/** The facts about a tool that decide whether tools are deferred. */
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

/** The sentence for people, with the bound that is exceeded. */
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

/** A sentence that says which tools of a run are deferred, because a request cannot carry them all; `undefined`: none. @see manual/tool-servers.md#many-tools */
export const deferralOf = (
	tools: readonly WeighedTool[],
	maxSchemaTokens: number,
): string | undefined =>
	isTooMuch(tools, maxSchemaTokens) ? deferredText(tools, maxSchemaTokens) : undefined;
