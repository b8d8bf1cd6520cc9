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
