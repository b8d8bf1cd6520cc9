import type {Tool} from './tool.ts';

/** Default toolset of a route: the configured tool servers, without tools for files or a shell. @see manual/tool-servers.md */
export const defaultToolset = 'svc-webhook';

/** Toolsets with the tools of every server. */
export const everyServer: ReadonlySet<string> = new Set([defaultToolset, 'mcp']);

/** The toolset of one server is named by this prefix and the server's name. */
export const serverPrefix = 'mcp-';

/** Whether a run with these toolsets can get tools of the configured server `server`. Such a run waits for the first connection to the server. */
export const needsServer = (names: readonly string[] | undefined, server: string): boolean =>
	(names ?? [defaultToolset]).some(
		name => everyServer.has(name) || name === `${serverPrefix}${server}`,
	);

/** Whether these toolsets name the server `server` explicitly. Such a run waits for a login to the server. */
export const namesServer = (names: readonly string[] | undefined, server: string): boolean =>
	names?.includes(`${serverPrefix}${server}`) ?? false;

/** A named set of tools for runs. */
export type Toolset<Offered extends Pick<Tool, 'name'> = Tool> = {
	readonly name: string;
	/** Whether the toolsets in `everyServer` include its tools. */
	readonly isOfServer: boolean;
	readonly tools: readonly Offered[];
	/** Why this run does not get the tools: text that follows a colon. */
	readonly dropped?: string;
};

/** The toolset of a tool server. */
export const serverToolset = <Offered extends Pick<Tool, 'name'>>([server, tools]: readonly [
	string,
	readonly Offered[],
]): Toolset<Offered> => ({name: `${serverPrefix}${server}`, isOfServer: true, tools});

export type ToolSelection<Chosen extends Pick<Tool, 'name'> = Tool> = {
	readonly tools: readonly Chosen[];
	/** One sentence per dropped toolset or tool, for the log. */
	readonly warnings: readonly string[];
};

/**
 * Selects the tools of a run by its toolset `names`: first the tools of `always`, then those of each name in order, each tool once. `names`: `undefined` means the default
 * `svc-webhook`, an empty list no toolset. `toolsets`: all existing toolsets, tool servers in the order of the file. `of`: the owner of the names for warnings: ` of route "gh"`.
 * Unknown names, and the later of two tools with the same name, are dropped with a warning.
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
