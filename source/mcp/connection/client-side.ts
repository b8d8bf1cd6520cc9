import type {jsonSchemaValidator} from '@modelcontextprotocol/client';
import type {ClientHandlers} from '../requests/client-handlers.ts';
import type {CallsUnderWay} from './calls-under-way.ts';

/** Our end of a connection: what we declare, how we answer when the server asks, and for which calls. */
export type ClientSide = ClientHandlers & {
	readonly calls: CallsUnderWay;
	/** Checks what tools answer against what they announced; the SDK's own when absent. */
	readonly validator?: jsonSchemaValidator;
};
