import type {Client, DiscoverResult} from '@modelcontextprotocol/client';

/** Facts about a connected server for faces and caches, in its own unescaped words. */
export type ServerFacts = {
	readonly era: 'legacy' | 'modern';
	/** `2025-11-25` */
	readonly version: string;
	/** Its own name and version. */
	readonly serverInfo?: string;
	readonly capabilities: {readonly resources: boolean; readonly prompts: boolean};
	/** A modern server's description of itself; saves a round trip at the next connect. */
	readonly discover?: DiscoverResult;
};

/** The facts of a client's server. */
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
