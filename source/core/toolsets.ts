import type {Tool} from './tool.ts';

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
	/** One sentence per name that gives nothing, for the log. */
	readonly warnings: readonly string[];
};

/**
 * The tools a run gets for its toolset names, without repetition and in the order of the names. `toolsets`: those that there are, tool servers in the order of the file; `always` come first, whatever the names; `of` says in warnings whose names they are, as ` of route "gh"`. No names: the
 * default `svc-webhook`; an empty list: none. Unknown names are dropped with a warning, and so is of two tools of one name the later one.
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

	return {tools: [...selected.values()], warnings};
}

const whyUnknown = (name: string): string =>
	name.startsWith(serverPrefix)
		? `no tool server "${name.slice(serverPrefix.length)}" gives tools`
		: 'there is none of that name';
