import {tooLarge} from './message-limit.ts';

/**
 * Code of the JSON-RPC error that answers a call in the server's stead when its stream was lost; `data` is `{reason: 'stream_lost'}`. In the range that
 * JSON-RPC leaves to implementations; no version of MCP uses it.
 */
export const streamLost = -32099;

/** What servers say of a session that they do not know (any more). */
export const sessionNotFound = -32001;

/** Code of the error that stands for an answer above the limit; `data` is `{reason: 'message_too_large'}`. */
export const messageTooLarge = -32098;

/** The answer that a lost stream owes. */
export const lostAnswer = (id: string | number) =>
	answer(id, {
		code: streamLost,
		message: 'The stream was lost before the answer came',
		data: {reason: 'stream_lost'},
	});

/** The answer in place of one above the limit. */
export const tooLargeAnswer = (id: string | number) =>
	answer(id, {
		code: messageTooLarge,
		message: tooLarge().message,
		data: {reason: 'message_too_large'},
	});

type LocalError = {
	readonly code: number;
	readonly message: string;
	readonly data: {readonly reason: string};
};

const answer = (id: string | number, error: LocalError) => ({jsonrpc: '2.0' as const, id, error});
