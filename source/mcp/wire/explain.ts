import {
	InsufficientScopeError,
	OAuthClientFlowError,
	OAuthError,
	ProtocolError,
	SdkError,
	SdkErrorCode,
	SseError,
	UnauthorizedError,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import type {Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError} from './connect-error.ts';
import {endOfProcess, spawnFailure} from './explain-process.ts';
import {httpFailure} from './http-failures.ts';
import {tooLarge} from './message-limit.ts';
import {codeInText, networkVerdict} from './network-failures.ts';
import type {ConnectFailure} from './open-transport.ts';
import {cleanQuote, quoteOf, httpStatusOf} from './quote-error.ts';
import type {StdioFacts} from './stdio-transport.ts';
import {messageTooLarge, sessionNotFound, streamLost} from './synthetic-errors.ts';

const maxMessageLength = 500;

/** What is known of the connection whose error is explained. */
export type Situation = {
	readonly server: Pick<ToolServerConfig, 'name' | 'endpoint'>;
	/** The caller's; an abort surfaces as all kinds of errors. */
	readonly signal: AbortSignal;
	/** Hides this server's secrets and everybody's. */
	readonly redact: Redact;
	/** Whether the handshake was done. */
	readonly isEstablished: boolean;
	readonly hasSession: boolean;
	/** Of a stdio server. */
	readonly process?: StdioFacts;
	/** What it says is wrong on its standard error. */
	readonly complaint?: string | undefined;
};

/** What an error of the SDK, of undici or of Node means for a connection: one sentence, cleaned, redacted. Never throws. */
export function explain(error: unknown, situation: Situation): ConnectFailure {
	if (situation.signal.aborted) {
		return {message: 'The connection was cancelled', kind: 'passing'};
	}

	const {message, kind} = judge(error, situation, 0);
	return {message: escapeLine(situation.redact(message), maxMessageLength), kind};
}

function judge(error: unknown, situation: Situation, depth: number): ConnectFailure {
	const {server, hasSession} = situation;
	if (error instanceof ConnectError) {
		return error.failure;
	}

	if (error instanceof SvcError) {
		return situation.process?.exit
			? endOfProcess(situation)
			: {message: error.message, kind: 'passing'};
	}

	if (error instanceof ProtocolError) {
		return protocolFailure(error, situation);
	}

	const status = httpStatusOf(error);
	if (status !== undefined) {
		return httpFailure(status, {
			quote: quoteOf(error, situation.redact),
			hasSession,
			hasLogin: server.endpoint.transport !== 'stdio' && server.endpoint.oauth !== undefined,
			name: server.name,
		});
	}

	if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
		return httpFailure(401, {quote: '', hasSession, hasLogin: true, name: server.name});
	}

	if (error instanceof OAuthError || error instanceof OAuthClientFlowError) {
		return {message: `Its login failed: ${quoteOf(error, situation.redact)}`, kind: 'needs-login'};
	}

	const code = codeOf(error);
	const verdict = networkFailure(error, code, situation);
	if (verdict) {
		return verdict;
	}

	if (error instanceof SdkError) {
		return sdkFailure(error, situation, depth);
	}

	return otherFailure(error, situation, depth);
}

function protocolFailure(error: ProtocolError, situation: Situation): ConnectFailure {
	if (error.code === streamLost) {
		return {message: 'The stream with its answer was lost', kind: 'stream-lost'};
	}

	if (error.code === messageTooLarge) {
		return {message: tooLarge().message, kind: 'passing'};
	}

	const quote = quoteOf(error, situation.redact);
	if (situation.hasSession && error.code === sessionNotFound && /session/i.test(quote)) {
		return {message: 'It has ended the session', kind: 'session-expired'};
	}

	return {message: `It answered with error ${error.code}: ${quote}`, kind: 'passing'};
}

function networkFailure(
	error: unknown,
	code: string,
	{server, process, isEstablished}: Situation,
): ConnectFailure | undefined {
	if (server.endpoint.transport === 'stdio') {
		return process ? spawnFailure(error, server.endpoint.command) : undefined;
	}

	const inText = error instanceof SseError ? codeInText(error.message) : undefined;
	const verdict = networkVerdict(inText ?? code);
	if (verdict?.kind !== 'cut-off') {
		return verdict && {message: verdict.message, kind: verdict.kind};
	}

	const wantsCertificate =
		!isEstablished && server.endpoint.url.startsWith('https:') && !server.endpoint.tls.client;
	return isEstablished
		? {message: verdict.message, kind: 'stream-lost'}
		: {
				message: `${verdict.message}${wantsCertificate ? ': it may want a TLS certificate (client_cert)' : ''}`,
				kind: 'passing',
			};
}

function sdkFailure(error: SdkError, situation: Situation, depth: number): ConnectFailure {
	const {code} = error;
	if (code === SdkErrorCode.RequestTimeout) {
		const {complaint} = situation;
		const said = complaint === undefined ? '' : `; it said: ${complaint}`;
		return {message: `It did not answer in time${said}`, kind: 'passing'};
	}

	if (code === SdkErrorCode.ClientHttpUnexpectedContent) {
		const type = /type: (.*)/.exec(error.message)?.[1] ?? 'something else';
		return {
			message: `It answered with ${cleanQuote(type, situation.redact)} where a tool server answers with JSON: is this the right URL`,
			kind: 'permanent',
		};
	}

	if (
		code === SdkErrorCode.ConnectionClosed ||
		code === SdkErrorCode.NotConnected ||
		isEndInNegotiation(error)
	) {
		return situation.process
			? endOfProcess(situation)
			: {
					message: 'The connection was closed',
					kind: situation.isEstablished ? 'stream-lost' : 'passing',
				};
	}

	if (error.cause !== undefined && depth < 5) {
		return judge(error.cause, situation, depth + 1);
	}

	return code === SdkErrorCode.EraNegotiationFailed
		? {
				message: `No protocol version in common: ${quoteOf(error, situation.redact)}`,
				kind: 'permanent',
			}
		: {message: `It broke the protocol: ${quoteOf(error, situation.redact)}`, kind: 'passing'};
}

const isEndInNegotiation = (error: SdkError): boolean =>
	error.code === SdkErrorCode.EraNegotiationFailed && error.message.includes('closed');

function otherFailure(error: unknown, situation: Situation, depth: number): ConnectFailure {
	if (error instanceof Error) {
		if (error.cause !== undefined && depth < 5) {
			return judge(error.cause, situation, depth + 1);
		}

		if (error.name === 'AbortError') {
			return {message: 'The request was cancelled', kind: 'passing'};
		}

		// Whoever reads JSON by recursion falls.
		if (error instanceof RangeError && error.message.includes('call stack')) {
			return {message: 'Its answer is nested too deep', kind: 'passing'};
		}

		if (error instanceof SyntaxError || /ZodError/.test(error.name)) {
			return {message: 'Its answer is not one of a tool server', kind: 'passing'};
		}

		if (/Invalid content type/.test(error.message)) {
			return {
				message:
					'It does not answer with an event stream: is this the right URL, and an SSE server',
				kind: 'permanent',
			};
		}

		if (/terminated|other side closed/.test(error.message)) {
			return {
				message: 'Its answer broke off',
				kind: situation.isEstablished ? 'stream-lost' : 'passing',
			};
		}
	}

	return {message: `It failed: ${quoteOf(error, situation.redact)}`, kind: 'passing'};
}
