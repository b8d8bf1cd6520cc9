import type {Client, ClientCapabilities, jsonSchemaValidator} from '@modelcontextprotocol/client';

/** Our end of a connection: what we declare, and how we answer when the server asks. */
export type ClientSide = {
	readonly capabilities: ClientCapabilities;
	/** Checks what tools answer against what they announced; the SDK's own when absent. */
	readonly validator?: jsonSchemaValidator;
	/** Registers the handlers on a new client, before it connects. */
	prepare(client: Client): void;
};
