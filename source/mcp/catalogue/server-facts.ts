import type {Client, DiscoverResult} from '@modelcontextprotocol/client';

/** What faces and caches want to know of the server at the other end; its own words, not cleaned. */
export type ServerFacts = {
	readonly era: 'legacy' | 'modern';
	/** `2025-11-25` */
	readonly version: string;
	/** Name and version that it gives itself. */
	readonly serverInfo?: string;
	readonly capabilities: {readonly resources: boolean; readonly prompts: boolean};
	/** What a modern server said of itself; saves the next connection a round trip. */
	readonly discover?: DiscoverResult;
};

/** Of the server that a client is connected to. */
export function factsOf(client: Client): ServerFacts {
	const info = client.getServerVersion();
	const capabilities = client.getServerCapabilities();
	const discover = client.getDiscoverResult();
	return {
		era: client.getProtocolEra() ?? 'legacy',
		version: client.getNegotiatedProtocolVersion() ?? '',
		...(info ? {serverInfo: `${info.name} ${info.version}`} : {}),
		capabilities: {
			resources: capabilities?.resources !== undefined,
			prompts: capabilities?.prompts !== undefined,
		},
		...(discover ? {discover} : {}),
	};
}
