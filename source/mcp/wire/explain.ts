import {
	InsufficientScopeError,
	OAuthClientFlowError,
	OAuthError,
	ProtocolError,
	SdkError,
	SdkErrorCode,
	SdkHttpError,
	SseError,
	UnauthorizedError,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {SvcError, codeOf, messageOf} from '../../core/errors.ts';
import type {Redact} from '../../core/redact.ts';
import {asWord} from '../../core/shell-words.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError, passing, permanent} from './connect-error.ts';
import {codeInText, networkVerdict, spawnFailure} from './failure-codes.ts';
import type {ConnectFailure} from './open-transport.ts';
import type {StdioFacts} from './stdio-transport.ts';
import {messageTooLarge, sessionNotFound, streamLost, tooLargeError} from './synthetic-errors.ts';

const maxMessageLength = 500;

const maxQuoteLength = 200;

/** The context of an error to explain. */
export type Situation = {
	readonly server: Pick<ToolServerConfig, 'name' | 'endpoint'>;
	/** The caller's signal; an abort appears as various errors. */
	readonly signal: AbortSignal;
	/** Redacts the secrets of this server and of the home. */
	readonly redact: Redact;
	/** Whether the handshake was completed. */
	readonly isEstablished: boolean;
	readonly hasSession: boolean;
	/** Facts about a stdio server's process. */
	readonly process?: StdioFacts;
	/** The error on its standard error, if any. */
	readonly complaint?: string | undefined;
};

/** Explains an error of the SDK, undici or Node as a connection failure: one sentence, escaped, redacted. Never throws. */
export function explain(error: unknown, situation: Situation): ConnectFailure {
	if (situation.signal.aborted) {
		return passing('The connection was cancelled');
	}

	const {message, kind} = judge(error, situation, 0);
	return {message: escapeLine(situation.redact(message), maxMessageLength), kind};
}

function judge(error: unknown, situation: Situation, depth: number): ConnectFailure {
	if (error instanceof ConnectError) {
		return error.failure;
	}

	if (error instanceof SvcError) {
		return situation.process?.exit ? endOfProcess(situation) : passing(error.message);
	}

	if (error instanceof ProtocolError) {
		return protocolFailure(error, situation);
	}

	const status = httpStatusOf(error);
	if (status !== undefined) {
		return httpFailure(status, quoteOf(error, situation.redact), situation);
	}

	if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
		return wantsLogin(401, situation);
	}

	if (error instanceof OAuthError || error instanceof OAuthClientFlowError) {
		return {message: `Its login failed: ${quoteOf(error, situation.redact)}`, kind: 'needs-login'};
	}

	return (
		networkFailure(error, situation) ??
		(error instanceof SdkError
			? sdkFailure(error, situation, depth)
			: otherFailure(error, situation, depth))
	);
}

/** A broken connection; if it was established, a call may have had its effect. */
const broken = (message: string, {isEstablished}: Situation): ConnectFailure => ({
	message,
	kind: isEstablished ? 'stream-lost' : 'passing',
});

function protocolFailure(error: ProtocolError, situation: Situation): ConnectFailure {
	const {code} = error;
	if (code === streamLost) {
		return {message: 'The stream with its answer was lost', kind: 'stream-lost'};
	}

	if (code === messageTooLarge) {
		return passing(tooLargeError().message);
	}

	const quote = quoteOf(error, situation.redact);
	return situation.hasSession && code === sessionNotFound && /session/i.test(quote)
		? {message: 'It has ended the session', kind: 'session-expired'}
		: passing(`It answered with error ${code}: ${quote}`);
}

const wantsLogin = (status: number, {server}: Situation): ConnectFailure => ({
	message: `It wants a login (HTTP ${status}): run "svc mcp login ${asWord(server.name)}"`,
	kind: 'needs-login',
});

/** `quote`: the server's words, escaped and cut; may be empty. */
function httpFailure(status: number, quote: string, situation: Situation): ConnectFailure {
	const said = quote === '' ? '' : `: ${quote}`;
	const {endpoint} = situation.server;
	if (status === 401 || status === 403) {
		return endpoint.transport !== 'stdio' && endpoint.oauth !== undefined
			? wantsLogin(status, situation)
			: permanent(
					`It refused the credentials (HTTP ${status}): check headers, or set auth: oauth${said}`,
				);
	}

	// The specification demands 404; server-everything and others send 400 and mention the session. @see MCP 2025-11-25, Session Management
	const isExpired = status === 404 || (status === 400 && /session/i.test(quote));
	if (situation.hasSession && isExpired) {
		return {message: `It has ended the session (HTTP ${status})`, kind: 'session-expired'};
	}

	if (status === 404 || status === 410) {
		return permanent(`There is no tool server at its URL (HTTP ${status})${said}`);
	}

	if (status === 407) {
		return permanent('The proxy wants a login (HTTP 407)');
	}

	const fail = status >= 500 || [408, 425, 429].includes(status) ? passing : permanent;
	return fail(`It answered with HTTP ${status}${said}`);
}

function networkFailure(error: unknown, situation: Situation): ConnectFailure | undefined {
	const {endpoint} = situation.server;
	const code = codeOf(error);
	if (endpoint.transport === 'stdio') {
		return situation.process && spawnFailure(code, endpoint.command);
	}

	const inText = error instanceof SseError ? codeInText(error.message) : undefined;
	const verdict = networkVerdict(inText ?? code);
	if (verdict?.kind !== 'cut-off') {
		return verdict && {message: verdict.message, kind: verdict.kind};
	}

	const wantsCertificate =
		!situation.isEstablished && endpoint.url.startsWith('https:') && !endpoint.tls.client;
	const hint = wantsCertificate ? ': it may want a TLS certificate (client_cert)' : '';
	return broken(`${verdict.message}${hint}`, situation);
}

/** How a stdio connection ended: svc's reason, or the process's exit and its error message. */
function endOfProcess(situation: Situation): ConnectFailure {
	const {process, complaint} = situation;
	if (process?.reason !== undefined) {
		return broken(process.reason, situation);
	}

	const said = complaint === undefined ? '' : `: ${complaint}`;
	return broken(`${howEnded(process?.exit)}${said}`, situation);
}

function howEnded(exit: StdioFacts['exit']): string {
	if (!exit) {
		return 'It closed the connection';
	}

	const {signal, code} = exit;
	return signal === null ? `It exited with code ${code}` : `It was ended by ${signal}`;
}

function sdkFailure(error: SdkError, situation: Situation, depth: number): ConnectFailure {
	const {code, message} = error;
	const {redact, process, complaint} = situation;
	if (code === SdkErrorCode.RequestTimeout) {
		return passing(
			`It did not answer in time${complaint === undefined ? '' : `; it said: ${complaint}`}`,
		);
	}

	if (code === SdkErrorCode.ClientHttpUnexpectedContent) {
		const type = /type: (.*)/.exec(message)?.[1] ?? 'something else';
		return permanent(
			`It answered with ${cleanQuote(type, redact)} where a tool server answers with JSON: is this the right URL`,
		);
	}

	const isNegotiation = code === SdkErrorCode.EraNegotiationFailed;
	if (
		code === SdkErrorCode.ConnectionClosed ||
		code === SdkErrorCode.NotConnected ||
		(isNegotiation && message.includes('closed'))
	) {
		return process ? endOfProcess(situation) : broken('The connection was closed', situation);
	}

	if (error.cause !== undefined && depth < 5) {
		return judge(error.cause, situation, depth + 1);
	}

	const quote = quoteOf(error, redact);
	return isNegotiation
		? permanent(`No protocol version in common: ${quote}`)
		: passing(`It broke the protocol: ${quote}`);
}

function otherFailure(error: unknown, situation: Situation, depth: number): ConnectFailure {
	if (error instanceof Error) {
		const {name, message, cause} = error;
		if (cause !== undefined && depth < 5) {
			return judge(cause, situation, depth + 1);
		}

		if (name === 'AbortError') {
			return passing('The request was cancelled');
		}

		// Parsing deeply nested JSON recursively overflows the stack.
		if (error instanceof RangeError && message.includes('call stack')) {
			return passing('Its answer is nested too deep');
		}

		if (error instanceof SyntaxError || /ZodError/.test(name)) {
			return passing('Its answer is not one of a tool server');
		}

		if (/Invalid content type/.test(message)) {
			return permanent(
				'It does not answer with an event stream: is this the right URL, and an SSE server',
			);
		}

		if (/terminated|other side closed/.test(message)) {
			return broken('Its answer broke off', situation);
		}
	}

	return passing(`It failed: ${quoteOf(error, situation.redact)}`);
}

/** The HTTP status of an error; the SSE transport has it only in the message. */
export function httpStatusOf(error: unknown): number | undefined {
	if (error instanceof SdkHttpError) {
		return error.status;
	}

	if (error instanceof SseError) {
		return error.code === 200 || error.code === undefined ? undefined : error.code;
	}

	const inText = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message)?.[1] : undefined;
	return inText === undefined ? undefined : Number(inText);
}

/** The server's words without the SDK's: the message of a JSON-RPC error, or the beginning of the text. */
function quoteOf(error: unknown, redact: Redact): string {
	if (error instanceof SseError && error.code !== undefined) {
		return '';
	}

	const said = error instanceof SdkHttpError ? error.data['text'] : undefined;
	const inMessage = messageOf(error).replace(
		/^Error POSTing to endpoint(?: \(HTTP \d+\))?: (?:null$)?|^MCP error -?\d+: /,
		'',
	);
	const text = typeof said === 'string' && said !== '' ? said : inMessage;
	const isPage = /^\s*<(?:!doctype|html)/i.test(text);
	return cleanQuote(isPage ? 'a web page' : messageInJson(text), redact);
}

function messageInJson(text: string): string {
	try {
		const message: unknown = JSON.parse(text)?.error?.message;
		return typeof message === 'string' ? message : text;
	} catch {
		return text;
	}
}

/** Strangers' words for use in a sentence: redacted, then escaped and cut to 200 characters. */
const cleanQuote = (text: string, redact: Redact): string =>
	escapeLine(redact(text).trim(), maxQuoteLength);
