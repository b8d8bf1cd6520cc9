import type {Client, ClientCapabilities, jsonSchemaValidator} from '@modelcontextprotocol/client';
import type {ToolListing} from '../catalogue/list-tools.ts';
import type {ServerFacts} from '../catalogue/server-facts.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import type {CallsUnderWay} from './calls-under-way.ts';

/** The client side of a connection: its capabilities, its handlers for the server's requests, and the calls they may refer to. */
export type ClientSide = {
	/** The capabilities to declare. */
	readonly capabilities: ClientCapabilities;
	/** Registers the handlers; before `client.connect()`. */
	register(client: Client): void;
	readonly calls: CallsUnderWay;
	/** Validates tool results against their output schemas; absent: the SDK's own. */
	readonly validator?: jsonSchemaValidator;
};

/** An established connection. Disposing ends it and everything that runs over it. */
export type OpenConnection = AsyncDisposable & {
	readonly client: Client;
	/** Aborts when the connection ends. */
	readonly signal: AbortSignal;
	/** The calls that its handlers refer to. */
	readonly calls: CallsUnderWay;
	readonly era: 'legacy' | 'modern';
	readonly facts: ServerFacts;
	/** The tools listed at connect. */
	readonly listing: ToolListing;
	/** What a call's error means for this connection. */
	explain(error: unknown): ConnectFailure;
	/** The last line of the process's standard error, escaped and redacted. */
	lastStderr(): string | undefined;
	/** Lists the tools again. Rejects with `ConnectError`. */
	list(signal: AbortSignal): Promise<ToolListing>;
	/** Resolves with the round trip in milliseconds. Rejects with `ConnectError`. */
	check(signal: AbortSignal): Promise<number>;
};
