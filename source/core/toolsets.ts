import {maxToolsOfRun, type Tool} from './tool.ts';

/** Toolset of a route that names none: the configured tool servers, nothing that touches files or a shell. @see manual/tool-servers.md */
export const defaultToolset = 'svc-webhook';

/** Toolsets with the tools of every server. */
export const everyServer: ReadonlySet<string> = new Set([defaultToolset, 'mcp']);

/** Before the name of a server: the toolset of its tools. */
export const serverPrefix = 'mcp-';

/** Whether a run with these toolset names can get tools of the configured server `server`: its first try to connect is worth waiting for. */
export const needsServer = (names: readonly string[] | undefined, server: string): boolean =>
	(names ?? [defaultToolset]).some(
		name => everyServer.has(name) || name === `${serverPrefix}${server}`,
	);

/** Whether these toolset names ask for the server `server` by its own name: a run is nothing without it, and may wait for a person to log in to it. */
export const namesServer = (names: readonly string[] | undefined, server: string): boolean =>
	names?.includes(`${serverPrefix}${server}`) ?? false;

/** The tools that a run gets by one name. */
export type Toolset<Offered extends Pick<Tool, 'name'> = Tool> = {
	readonly name: string;
	/** Its tools are also in the toolsets of `everyServer`. */
	readonly isOfServer: boolean;
	readonly tools: readonly Offered[];
	/** Why this run does not get them; what follows a colon. */
	readonly dropped?: string;
};

/** The toolset of a tool server. One whose tools are filtered away has none. */
export const serverToolset = <Offered extends Pick<Tool, 'name'>>([server, tools]: readonly [
	string,
	readonly Offered[],
]): Toolset<Offered> => ({name: `${serverPrefix}${server}`, isOfServer: true, tools});

export type ToolSelection<Chosen extends Pick<Tool, 'name'> = Tool> = {
	readonly tools: readonly Chosen[];
	/** One sentence per name that gives nothing, for the log, and `tooMany`. */
	readonly warnings: readonly string[];
	/** What is left out, where there are more than a request to a model takes. */
	readonly tooMany?: string;
};

/**
 * The tools a run gets for its toolset names, without repetition and in the order of the names. `toolsets`: those that there are, tool servers in the order of the file; `always` come first, whatever the names; `of` says in warnings whose names they are, as ` of route "gh"`. No names: the
 * default `svc-webhook`; an empty list: none. Unknown names are dropped with a warning, and so are of two tools of one name the later one, and what is more than a request to a model takes: built-in
 * tools stay first, then those of the first server.
 *
 * @see manual/routes.md#keys, manual/tool-servers.md
 */
export function selectTools<Chosen extends Pick<Tool, 'name'>>(
	names: readonly string[] | undefined,
	toolsets: ReadonlyArray<Toolset<Chosen>>,
	{always = [], of = ''}: {readonly always?: readonly Chosen[]; readonly of?: string} = {},
): ToolSelection<Chosen> {
	const warnings: string[] = [];
	const selected = new Map(always.map(tool => [tool.name, tool]));
	const toolsOf = (name: string): readonly Chosen[] => {
		if (everyServer.has(name)) {
			return toolsets.filter(({isOfServer}) => isOfServer).flatMap(({tools}) => tools);
		}

		const toolset = toolsets.find(one => one.name === name);
		const problem = toolset ? toolset.dropped : whyUnknown(name);
		if (problem !== undefined) {
			warnings.push(`Toolset "${name}"${of} was dropped: ${problem}`);
			return [];
		}

		return toolset?.tools ?? [];
	};

	for (const tool of (names ?? [defaultToolset]).flatMap(toolsOf)) {
		const other = selected.get(tool.name);
		if (!other) {
			selected.set(tool.name, tool);
		} else if (other !== tool) {
			warnings.push(`Tool "${tool.name}" was dropped: another one has that name`);
		}
	}

	const {tools, leftOut} = limited([...selected.values()], toolsets);
	const tooMany = warningOf(leftOut);
	return tooMany === undefined
		? {tools, warnings}
		: {tools, warnings: [...warnings, tooMany], tooMany};
}

const whyUnknown = (name: string): string =>
	name.startsWith(serverPrefix)
		? `no tool server "${name.slice(serverPrefix.length)}" gives tools`
		: 'there is none of that name';

/** As many as a request takes. Which ones stay does not depend on the order of the names. */
function limited<Chosen extends Pick<Tool, 'name'>>(
	tools: readonly Chosen[],
	toolsets: ReadonlyArray<Toolset<Chosen>>,
): {readonly tools: readonly Chosen[]; readonly leftOut: readonly Chosen[]} {
	if (tools.length <= maxToolsOfRun) {
		return {tools, leftOut: []};
	}

	const ranks = new Map(
		toolsets
			.filter(({isOfServer}) => isOfServer)
			.flatMap(toolset => toolset.tools)
			.map(({name}, rank) => [name, rank]),
	);
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
