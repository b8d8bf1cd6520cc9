import {codeOf} from '../../core/errors.ts';
import type {ToolResult} from '../../core/tool.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';

/** Why a call's answer will not arrive. */
export type LostReason = 'session_expired' | 'stream_lost' | 'closed';

/** `sent: false`: the server has not seen the call, so any tool may be called again. */
export type LostCall = {
	readonly kind: 'lost';
	readonly reason: LostReason;
	readonly sent: boolean;
};

/** A failed call: either the answer is lost, or there is an error for the model to read. */
export type CallFailure = LostCall | {readonly kind: 'error'; readonly message: string};

const reasons: Readonly<
	Record<LostReason, {readonly words: string; readonly connection: ConnectFailure}>
> = {
	session_expired: {
		words: 'its session expired',
		connection: {kind: 'session-expired', message: 'It has ended the session'},
	},
	stream_lost: {
		words: 'the stream of its answer was lost',
		connection: {kind: 'stream-lost', message: 'The stream with its answer was lost'},
	},
	closed: {
		words: 'the connection was closed',
		connection: {kind: 'passing', message: 'The connection was closed'},
	},
};

/** What a lost answer means for its connection. */
export const failureOfConnection = (reason: LostReason): ConnectFailure =>
	reasons[reason].connection;

/** Error codes of connections that failed before the server saw anything. */
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

/** The client's own complaints about a tool's answer, which look like errors of the server. */
const unfitAnswer =
	/^(?:Structured content does not match|Failed to validate structured content|Tool .{1,300} has an output schema but did not)/s;

/**
 * Classifies `error`, thrown by a client for a call. Check your own abort signals first.
 *
 * @see manual/tool-servers.md#states
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
	const isClosed = connection.signal.aborted || codes.some(code => closedCodes.has(code));
	const reason = lossOf(kind) ?? (isClosed ? 'closed' : undefined);
	if (reason) {
		return {kind: 'lost', reason, sent: true};
	}

	const isUnfit = error instanceof Error && unfitAnswer.test(error.message);
	const lead = isUnfit ? 'The tool ran, but what it answered is not of its outputSchema: ' : '';
	return {kind: 'error', message: `${lead}${message}`};
}

const lossOf = (kind: ConnectFailure['kind']): LostReason | undefined =>
	kind === 'session-expired'
		? 'session_expired'
		: kind === 'stream-lost'
			? 'stream_lost'
			: undefined;

/** The result that the model reads for a call with an unknown outcome. @see manual/tool-servers.md#states */
export function uncertainResult(lost: {
	readonly server: string;
	readonly tool: string;
	readonly reason: LostReason;
}): ToolResult {
	const {server, tool, reason} = lost;
	const error = `outcome_uncertain: the tool "${tool}" of the tool server "${server}" was called, then ${reasons[reason].words}; verify what it did before calling it again`;
	const facts = {error, outcome_uncertain: true, server, tool, reason};
	return {text: JSON.stringify(facts), isError: true};
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

/** The client reports this by an error without a code. */
const isNotConnected = (error: unknown): boolean =>
	error instanceof Error && error.message === 'Not connected';
