import type {DiscoverResult} from '@modelcontextprotocol/client';
import type {Connection} from '../calls/call.ts';
import type {Listing} from '../catalogue/list-tools.ts';

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

/** A connection that works. Disposal ends it, and what runs over it. */
export type OpenConnection = AsyncDisposable &
	Connection & {
		readonly era: 'legacy' | 'modern';
		readonly facts: ServerFacts;
		/** What it offered when it connected. */
		readonly listing: Listing;
		/** The last line of its standard error, cleaned and redacted. */
		lastStderr(): string | undefined;
		/** Asks for its tools again. Rejects with `ConnectError`. */
		list(signal: AbortSignal): Promise<Listing>;
		/** Resolves with the round trip in milliseconds. Rejects with `ConnectError`. */
		check(signal: AbortSignal): Promise<number>;
	};
