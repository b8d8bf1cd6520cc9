/**
 * Code of the JSON-RPC error that answers a call in the server's stead when its stream was lost; `data` is `{reason: 'stream_lost'}`. In the range that
 * JSON-RPC leaves to implementations; no version of MCP uses it.
 */
export const streamLost = -32099;

/** What servers say of a session that they do not know (any more). */
export const sessionNotFound = -32001;

/** The answer that a lost stream owes. */
export const lostAnswer = (id: string | number) => ({
	jsonrpc: '2.0' as const,
	id,
	error: {
		code: streamLost,
		message: 'The stream was lost before the answer came',
		data: {reason: 'stream_lost'},
	},
});
