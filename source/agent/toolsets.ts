import type {Tool} from '../core/tool.ts';

/** Toolset of a route that names none: the configured tool servers, nothing that touches files or a shell. @see manual/tool-servers.md */
const defaultToolset = 'svc-webhook';

/** Toolsets whose tools do not exist in this version. */
const emptyToolsets: ReadonlySet<string> = new Set(['terminal', 'file', 'web']);

const everyServer: ReadonlySet<string> = new Set([defaultToolset, 'mcp']);

const serverPrefix = 'mcp-';

/** Whether a run with these toolset names can get tools of the configured server `server`: its first try to connect is worth waiting for. */
export const needsServer = (names: readonly string[] | undefined, server: string): boolean =>
	(names ?? [defaultToolset]).some(
		name => everyServer.has(name) || name === `${serverPrefix}${server}`,
	);

export type ToolSelection<Chosen extends Pick<Tool, 'name'> = Tool> = {
	readonly tools: readonly Chosen[];
	/** One sentence per name that gives nothing, for the log. */
	readonly warnings: readonly string[];
};

/**
 * The tools a run gets for its toolset names, without repetition and in the order of the names. `servers` holds the tools of each
 * configured tool server by its name. No names: the default `svc-webhook`; an empty list: none. Unknown names are dropped with a
 * warning, and of two tools of one name the later one.
 *
 * @see manual/routes.md#keys, manual/tool-servers.md
 */
export function selectTools<Chosen extends Pick<Tool, 'name'>>(
	names: readonly string[] | undefined,
	servers: ReadonlyMap<string, readonly Chosen[]>,
): ToolSelection<Chosen> {
	const warnings: string[] = [];
	const selected = new Map<string, Chosen>();

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

	return {tools: [...selected.values()], warnings};
}
