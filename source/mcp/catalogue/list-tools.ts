import type {Client, Tool as ListedTool} from '@modelcontextprotocol/client';

/** How many tools of a server's list are read, before filtering: far more than can be registered. */
export const maxListedTools = 5000;
export const maxListedBytes = 8 * 1024 * 1024;

/** The tools as the server listed them. */
export type ToolListing = {
	readonly tools: readonly ListedTool[];
	/** How long the server says that the list is valid, in milliseconds. */
	readonly ttlMs?: number;
	/** One line each, in svc's words. */
	readonly warnings: readonly string[];
};

/** Lists a connected server's tools, at most 64 pages. A server without the capability is not asked. Rejects with the client's error; check your own abort signal first. */
export async function listTools(
	client: Client,
	{signal, timeoutMs}: {readonly signal: AbortSignal; readonly timeoutMs: number},
): Promise<ToolListing> {
	if (!client.getServerCapabilities()?.tools) {
		return {tools: [], warnings: []};
	}

	const options = {signal, timeout: timeoutMs, cacheMode: 'refresh'} as const;
	const result = await client.listTools(undefined, options);
	const ttlMs: unknown = 'ttlMs' in result ? result['ttlMs'] : undefined;
	return {...boundTools(result.tools), ...(typeof ttlMs === 'number' && ttlMs > 0 ? {ttlMs} : {})};
}

/** The first 5,000 tools, as many as fit into 8 MB of JSON. */
export function boundTools(tools: readonly ListedTool[]): Pick<ToolListing, 'tools' | 'warnings'> {
	const kept: ListedTool[] = [];
	let bytes = 0;
	for (const tool of tools.slice(0, maxListedTools)) {
		bytes += Buffer.byteLength(JSON.stringify(tool));
		if (bytes > maxListedBytes) {
			break;
		}

		kept.push(tool);
	}

	const dropped = tools.length - kept.length;
	const most = bytes > maxListedBytes ? '8 MB of definitions' : String(maxListedTools);
	const warning = `offers ${tools.length} tools, more than ${most}; not used: ${dropped}`;
	return {tools: kept, warnings: dropped > 0 ? [warning] : []};
}
