import {maxToolsOfRun, type Tool} from '../core/tool.ts';
import {defaultToolset, everyServer, serverPrefix} from '../core/toolset-names.ts';

/** Toolsets whose tools do not exist in this version. */
const emptyToolsets: ReadonlySet<string> = new Set(['terminal', 'file', 'web']);

/** Whether these toolset names ask for the server `server` by its own name: a run is nothing without it, and may wait for a person to log in to it. */
export const namesServer = (names: readonly string[] | undefined, server: string): boolean =>
	names?.includes(`${serverPrefix}${server}`) ?? false;

export type ToolSelection<Chosen extends Pick<Tool, 'name'> = Tool> = {
	readonly tools: readonly Chosen[];
	/** One sentence per name that gives nothing, for the log, and `tooMany`. */
	readonly warnings: readonly string[];
	/** What is left out, where there are more than a request to a model takes. */
	readonly tooMany?: string;
};

/**
 * The tools a run gets for its toolset names, without repetition and in the order of the names. `servers` holds the tools of each
 * configured tool server by its name, in the order of the file; `builtIn` come first, whatever the names. No names: the default `svc-webhook`; an empty list: none. Unknown names are dropped with a
 * warning, and so are of two tools of one name the later one, and what is more than a request to a model takes: built-in tools stay first, then those of the first server.
 *
 * @see manual/routes.md#keys, manual/tool-servers.md
 */
export function selectTools<Chosen extends Pick<Tool, 'name'>>(
	names: readonly string[] | undefined,
	servers: ReadonlyMap<string, readonly Chosen[]>,
	builtIn: readonly Chosen[] = [],
): ToolSelection<Chosen> {
	const warnings: string[] = [];
	const selected = new Map(builtIn.map(tool => [tool.name, tool]));

	const toolsOf = (name: string): readonly Chosen[] => {
		if (everyServer.has(name)) {
			return [...servers.values()].flat();
		}

		if (emptyToolsets.has(name)) {
			warnings.push(`Toolset "${name}" has no tools in this version`);
			return [];
		}

		const server = name.startsWith(serverPrefix) ? name.slice(serverPrefix.length) : undefined;
		const tools = server === undefined ? undefined : servers.get(server);
		if (!tools) {
			warnings.push(
				server === undefined
					? `Toolset "${name}" is unknown and was dropped`
					: `Toolset "${name}" was dropped: no tool server "${server}" gives tools`,
			);
		}

		return tools ?? [];
	};

	for (const tool of (names ?? [defaultToolset]).flatMap(toolsOf)) {
		const other = selected.get(tool.name);
		if (!other) {
			selected.set(tool.name, tool);
		} else if (other !== tool) {
			warnings.push(`Tool "${tool.name}" was dropped: another one has that name`);
		}
	}

	const {tools, leftOut} = limited([...selected.values()], servers);
	const tooMany = warningOf(leftOut);
	return tooMany === undefined
		? {tools, warnings}
		: {tools, warnings: [...warnings, tooMany], tooMany};
}

/** As many as a request takes. Which ones stay does not depend on the order of the toolsets. */
function limited<Chosen extends Pick<Tool, 'name'>>(
	tools: readonly Chosen[],
	servers: ReadonlyMap<string, readonly Chosen[]>,
): {readonly tools: readonly Chosen[]; readonly leftOut: readonly Chosen[]} {
	if (tools.length <= maxToolsOfRun) {
		return {tools, leftOut: []};
	}

	const ranks = new Map([...servers.values()].flat().map(({name}, rank) => [name, rank]));
	const rankOf = ({name}: Chosen): number => ranks.get(name) ?? -1;
	const ranked = tools.toSorted((a, b) => rankOf(a) - rankOf(b));
	const kept = new Set(ranked.slice(0, maxToolsOfRun));
	return {tools: tools.filter(tool => kept.has(tool)), leftOut: ranked.slice(maxToolsOfRun)};
}

const maxNames = 5;

function warningOf(leftOut: ReadonlyArray<Pick<Tool, 'name'>>): string | undefined {
	const names = leftOut.slice(0, maxNames).map(({name}) => name);
	const more = leftOut.length - names.length;
	return names.length === 0
		? undefined
		: `A model takes ${maxToolsOfRun} tools in one request: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${leftOut.length === 1 ? 'is' : 'are'} left out; name fewer toolsets, or set tools.include of a server`;
}
