import {codeOf} from '../../core/errors.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';

export type LostReason = 'session_expired' | 'stream_lost' | 'closed';

/** What became of a call that failed: its answer is lost, or there is an error that the model should read. */
export type CallFailure =
	| {readonly kind: 'lost'; readonly reason: LostReason; readonly sent: boolean}
	| {readonly kind: 'error'; readonly message: string};

/** Codes of a connection that could not be made: the server has seen nothing. */
const unsentCodes = new Set([
	'NOT_CONNECTED',
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'UND_ERR_CONNECT_TIMEOUT',
]);

const closedCodes = new Set(['CONNECTION_CLOSED', 'SEND_FAILED']);

/** The client's own complaints about the answer of a tool, which look like errors of the server. */
const unfitAnswer =
	/^(?:Structured content does not match|Failed to validate structured content|Tool .{1,300} has an output schema but did not)/s;

/**
 * What `error`, thrown by a client for a call, means for the call. Look at your own abort signals first.
 *
 * @see Interface 7, tool-server errors 3
 */
export function callFailure(
	error: unknown,
	connection: {explain(error: unknown): ConnectFailure; readonly signal: AbortSignal},
): CallFailure {
	const codes = [codeOf(error), codeOf(causeOf(error))];
	const isUnsent = codes.some(code => unsentCodes.has(code)) || isNotConnected(error);
	if (isUnsent) {
		return {kind: 'lost', reason: 'closed', sent: false};
	}

	const {kind, message} = connection.explain(error);
	if (kind === 'session-expired') {
		return {kind: 'lost', reason: 'session_expired', sent: true};
	}

	if (kind === 'stream-lost') {
		return {kind: 'lost', reason: 'stream_lost', sent: true};
	}

	if (connection.signal.aborted || codes.some(code => closedCodes.has(code))) {
		return {kind: 'lost', reason: 'closed', sent: true};
	}

	const isUnfit = error instanceof Error && unfitAnswer.test(error.message);
	return {
		kind: 'error',
		message: isUnfit
			? `The tool ran, but what it answered is not of its outputSchema: ${message}`
			: message,
	};
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

/** The client says so in an error without a code. */
const isNotConnected = (error: unknown): boolean =>
	error instanceof Error && error.message === 'Not connected';
