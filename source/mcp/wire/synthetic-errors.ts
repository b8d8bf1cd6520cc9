import {SvcError} from '../../core/errors.ts';

/** The largest message of a server: a line of a stdio server, a JSON body, an event of a stream. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** A server's message was above the limit; nothing of it was kept. */
export const tooLargeError = (): SvcError =>
	new SvcError('mcp_message_too_large', 'The server sent a message of more than 10 MB');

/**
 * Code of the JSON-RPC error that answers a call in the server's stead when its stream was lost; `data` is `{reason: 'stream_lost'}`. In the range that
 * JSON-RPC leaves to implementations; no version of MCP uses it.
 */
export const streamLost = -32099;

/** What servers say of a session that they do not know (any more). */
export const sessionNotFound = -32001;

/** Code of the error that stands for an answer above the limit; `data` is `{reason: 'message_too_large'}`. */
export const messageTooLarge = -32098;

const answer = (
	id: string | number,
	code: number,
	[message, reason]: readonly [string, string],
) => ({jsonrpc: '2.0' as const, id, error: {code, message, data: {reason}}});

/** The answer that a lost stream owes. */
export const lostAnswer = (id: string | number) =>
	answer(id, streamLost, ['The stream was lost before the answer came', 'stream_lost']);

/** The answer in place of one above the limit. */
export const tooLargeAnswer = (id: string | number) =>
	answer(id, messageTooLarge, [tooLargeError().message, 'message_too_large']);
