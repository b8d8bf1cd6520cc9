import type {Client, ClientCapabilities, jsonSchemaValidator} from '@modelcontextprotocol/client';
import type {ToolListing} from '../catalogue/list-tools.ts';
import type {ServerFacts} from '../catalogue/server-facts.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import type {CallsUnderWay} from './calls-under-way.ts';

/** Our end of a connection: what we declare, how we answer when the server asks, and for which calls. */
export type ClientSide = {
	/** To be declared by the client. */
	readonly capabilities: ClientCapabilities;
	/** Before `client.connect()`. */
	register(client: Client): void;
	readonly calls: CallsUnderWay;
	/** Checks what tools answer against what they announced; the SDK's own when absent. */
	readonly validator?: jsonSchemaValidator;
};

/** A connection that works. Disposal ends it, and what runs over it. */
export type OpenConnection = AsyncDisposable & {
	readonly client: Client;
	/** Aborted when the connection is gone. */
	readonly signal: AbortSignal;
	/** The same that its handlers got. */
	readonly calls: CallsUnderWay;
	readonly era: 'legacy' | 'modern';
	readonly facts: ServerFacts;
	/** What it offered when it connected. */
	readonly listing: ToolListing;
	/** What an error of a call means here. */
	explain(error: unknown): ConnectFailure;
	/** The last line of its standard error, cleaned and redacted. */
	lastStderr(): string | undefined;
	/** Asks for its tools again. Rejects with `ConnectError`. */
	list(signal: AbortSignal): Promise<ToolListing>;
	/** Resolves with the round trip in milliseconds. Rejects with `ConnectError`. */
	check(signal: AbortSignal): Promise<number>;
};
