import type {Client, Tool as ListedTool} from '@modelcontextprotocol/client';

/** What is looked at of a server's list, before its filter: far more than may be registered. */
export const maxListedTools = 5000;
export const maxListedBytes = 8 * 1024 * 1024;

/** The tools that a server listed, as it said them. */
export type ToolListing = {
	readonly tools: readonly ListedTool[];
	/** How long the server says that holds, milliseconds. */
	readonly ttlMs?: number;
	/** One line each, in our words. */
	readonly warnings: readonly string[];
};

/**
 * Asks a connected server for its tools, all pages, at most 64 of them. One without tools is not asked. Rejects with what the client
 * threw; look at your own abort signal first.
 */
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

/** The first 5,000 tools, and of those as many as fit into 8 MB of JSON. */
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
