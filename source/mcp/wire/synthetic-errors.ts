import {SvcError} from '../../core/errors.ts';

/** The largest message accepted from a server: a line of a stdio server, a JSON body, or an event of a stream. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** A server's message exceeded the limit and was dropped. */
export const tooLargeError = (): SvcError =>
	new SvcError('mcp_message_too_large', 'The server sent a message of more than 10 MB');

/**
 * Code of the JSON-RPC error that replaces the answer of a call whose stream was lost; `data` is `{reason: 'stream_lost'}`. From the range that JSON-RPC reserves
 * for implementations; unused by every version of MCP.
 */
export const streamLost = -32099;

/** The code with which servers reject an unknown or expired session. */
export const sessionNotFound = -32001;

/** Code of the error that replaces an answer above the limit; `data` is `{reason: 'message_too_large'}`. */
export const messageTooLarge = -32098;

const answer = (
	id: string | number,
	code: number,
	[message, reason]: readonly [string, string],
) => ({jsonrpc: '2.0' as const, id, error: {code, message, data: {reason}}});

/** The answer for a call whose stream was lost. */
export const lostAnswer = (id: string | number) =>
	answer(id, streamLost, ['The stream was lost before the answer came', 'stream_lost']);

/** The answer in place of one above the limit. */
export const tooLargeAnswer = (id: string | number) =>
	answer(id, messageTooLarge, [tooLargeError().message, 'message_too_large']);
