import type {jsonSchemaValidator} from '@modelcontextprotocol/client';

/**
 * Takes what tools answer as it is. For untrusted servers: a schema of theirs would be compiled, and its patterns run over texts of theirs,
 * for as long as they like.
 */
export const uncheckedOutput: jsonSchemaValidator = {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that it is not looked at is the point
	getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
};
