import {
	InsufficientScopeError,
	OAuthError,
	OAuthErrorCode,
	ProtocolError,
	SdkError,
	SdkErrorCode,
	SdkHttpError,
	SseError,
	UnauthorizedError,
} from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createRedact} from '../../../source/core/redact.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
import {explain, type Situation} from '../../../source/mcp/wire/explain.ts';
import {remoteServer} from '../servers/http-server.ts';
import {stdioServer} from '../servers/stdio-server.ts';

const remote: Situation = {
	server: remoteServer('https://mcp.example/mcp'),
	signal: new AbortController().signal,
	redact: createRedact(() => ['hunter2-hunter2']),
	isEstablished: false,
	hasSession: false,
};

const established = {...remote, isEstablished: true, hasSession: true};

const withLogin = {...remote, server: remoteServer('https://mcp.example/mcp', {oauth: {}})};

const local: Situation = {
	...remote,
	server: stdioServer('crm-server'),
	process: {exit: undefined, reason: undefined, noiseLines: 0, isEstablished: false},
};

const exited = {
	...local,
	process: {exit: {code: 1, signal: null}, reason: undefined, noiseLines: 0, isEstablished: false},
	complaint: 'no database',
};

const coded = (code: string, message = 'x') => Object.assign(new Error(message), {code});

const fetchFailed = (code: string) => new TypeError('fetch failed', {cause: coded(code)});

const http = (status: number, text = '') =>
	new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
		status,
		text,
	});

const rpc = (message: string, code = -32000) =>
	JSON.stringify({jsonrpc: '2.0', error: {code, message}, id: null});

const sse = (code: number | undefined, message: string) =>
	new SseError(code, message, new Event('error'));

const unreachable = (what: string) => `It cannot be reached: ${what}`;

test.for<readonly [string, unknown, Situation, string, string]>([
	// A stdio server.
	['ENOENT', coded('ENOENT'), local, 'Command "crm-server" was not found in its PATH', 'permanent'],
	['EACCES', coded('EACCES'), local, 'Command "crm-server" may not be executed', 'permanent'],
	['ENOEXEC', coded('ENOEXEC'), local, 'Command "crm-server" is no program', 'permanent'],
	['E2BIG', coded('E2BIG'), local, 'Its arguments and environment are too long', 'permanent'],
	[
		'EMFILE',
		coded('EMFILE'),
		local,
		'The system has no room for its process at present',
		'passing',
	],
	[
		'closed',
		new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
		exited,
		'It exited with code 1: no database',
		'passing',
	],
	[
		'closed in a call',
		new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
		{...exited, isEstablished: true},
		'It exited with code 1: no database',
		'stream-lost',
	],
	[
		'closed in negotiation',
		new SdkError(
			SdkErrorCode.EraNegotiationFailed,
			'Version negotiation failed: the transport was closed during the server/discover probe',
		),
		exited,
		'It exited with code 1: no database',
		'passing',
	],
	[
		'closed by us',
		new SdkError(SdkErrorCode.ConnectionClosed, 'x'),
		{
			...local,
			process: {exit: undefined, reason: 'It is too loud', noiseLines: 0, isEstablished: false},
		},
		'It is too loud',
		'passing',
	],
	[
		'silent',
		new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out'),
		{...local, complaint: 'waiting for the vault'},
		'It did not answer in time; it said: waiting for the vault',
		'passing',
	],
	// A remote server: the network.
	[
		'ECONNREFUSED',
		fetchFailed('ECONNREFUSED'),
		remote,
		unreachable('nothing listens there (connection refused)'),
		'passing',
	],
	[
		'ENOTFOUND',
		fetchFailed('ENOTFOUND'),
		remote,
		unreachable('its host name is not known'),
		'passing',
	],
	[
		'ECONNREFUSED of several addresses',
		new TypeError('fetch failed', {
			cause: Object.assign(new AggregateError([]), {code: 'ECONNREFUSED'}),
		}),
		remote,
		unreachable('nothing listens there (connection refused)'),
		'passing',
	],
	[
		'a connection that broke at first',
		fetchFailed('ECONNRESET'),
		remote,
		'It closed the connection: it may want a TLS certificate (client_cert)',
		'passing',
	],
	[
		'a connection that broke later',
		fetchFailed('UND_ERR_SOCKET'),
		established,
		'It closed the connection',
		'stream-lost',
	],
	[
		'a body that broke off',
		new TypeError('terminated', {cause: coded('UND_ERR_SOCKET')}),
		established,
		'It closed the connection',
		'stream-lost',
	],
	[
		'SSE refused',
		sse(undefined, 'TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:1'),
		remote,
		unreachable('nothing listens there (connection refused)'),
		'passing',
	],
	[
		'SSE lost',
		sse(undefined, 'TypeError: terminated: other side closed'),
		established,
		'It closed the connection',
		'stream-lost',
	],
	// TLS.
	[
		'SELF_SIGNED_CERT_IN_CHAIN',
		fetchFailed('SELF_SIGNED_CERT_IN_CHAIN'),
		remote,
		'Its certificate was not issued by a known authority: set tls.ca, or ssl_verify of this server, to the PEM file of its CA',
		'permanent',
	],
	[
		'CERT_HAS_EXPIRED',
		fetchFailed('CERT_HAS_EXPIRED'),
		remote,
		'Its certificate has expired',
		'permanent',
	],
	[
		'another host',
		fetchFailed('ERR_TLS_CERT_ALTNAME_INVALID'),
		remote,
		'Its certificate is for another host',
		'permanent',
	],
	[
		'a certificate is wanted',
		fetchFailed('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
		remote,
		'It refused our TLS certificate, or wants one: set client_cert',
		'permanent',
	],
	[
		'no HTTP',
		fetchFailed('HPE_INVALID_CONSTANT'),
		remote,
		'It does not answer with HTTP',
		'permanent',
	],
	// HTTP.
	[
		'a web page',
		new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'Unexpected content type: text/html'),
		remote,
		'It answered with text/html where a tool server answers with JSON: is this the right URL',
		'permanent',
	],
	[
		'401',
		http(401, 'no'),
		remote,
		'It refused the credentials (HTTP 401): check headers, or set auth: oauth: no',
		'permanent',
	],
	[
		'401 with login',
		http(401),
		withLogin,
		'It wants a login (HTTP 401): run "svc mcp login crm"',
		'needs-login',
	],
	[
		'403 with login',
		http(403),
		withLogin,
		'It wants a login (HTTP 403): run "svc mcp login crm"',
		'needs-login',
	],
	[
		'unauthorized',
		new UnauthorizedError(),
		withLogin,
		'It wants a login (HTTP 401): run "svc mcp login crm"',
		'needs-login',
	],
	[
		'more scope',
		new InsufficientScopeError({requiredScope: 'write'}),
		withLogin,
		'It wants a login (HTTP 401): run "svc mcp login crm"',
		'needs-login',
	],
	[
		'OAuth',
		new OAuthError(OAuthErrorCode.InvalidGrant, 'gone'),
		withLogin,
		'Its login failed: gone',
		'needs-login',
	],
	['404', http(404), remote, 'There is no tool server at its URL (HTTP 404)', 'permanent'],
	[
		'404 of a session',
		http(404, rpc('Session not found', -32001)),
		established,
		'It has ended the session (HTTP 404)',
		'session-expired',
	],
	[
		'400 of a session',
		http(400, rpc('Bad Request: No valid session ID provided')),
		established,
		'It has ended the session (HTTP 400)',
		'session-expired',
	],
	[
		'400',
		http(400, rpc('Bad Request: No valid session ID provided')),
		remote,
		'It answered with HTTP 400: Bad Request: No valid session ID provided',
		'permanent',
	],
	[
		'another 400',
		http(400, rpc('Invalid arguments')),
		established,
		'It answered with HTTP 400: Invalid arguments',
		'permanent',
	],
	[
		'-32001',
		new ProtocolError(-32001, 'Session not found'),
		established,
		'It has ended the session',
		'session-expired',
	],
	[
		'404 of an SSE session',
		new Error('Error POSTing to endpoint (HTTP 404): Could not find session'),
		established,
		'It has ended the session (HTTP 404)',
		'session-expired',
	],
	[
		'SSE 404',
		sse(404, 'Non-200 status code (404)'),
		remote,
		'There is no tool server at its URL (HTTP 404)',
		'permanent',
	],
	[
		'SSE of something else',
		sse(200, 'Invalid content type, expected "text/event-stream"'),
		remote,
		'It does not answer with an event stream: is this the right URL, and an SSE server',
		'permanent',
	],
	[
		'500',
		http(500, '<!DOCTYPE html><h1>Oops'),
		remote,
		'It answered with HTTP 500: a web page',
		'passing',
	],
	[
		'502 in negotiation',
		new SdkHttpError(SdkErrorCode.EraNegotiationFailed, 'x', {status: 502}),
		remote,
		'It answered with HTTP 502: x',
		'passing',
	],
	['429', http(429), remote, 'It answered with HTTP 429', 'passing'],
	// The protocol.
	[
		'a lost stream',
		new ProtocolError(-32099, 'x', {reason: 'stream_lost'}),
		established,
		'The stream with its answer was lost',
		'stream-lost',
	],
	[
		'a JSON-RPC error',
		new ProtocolError(-32603, 'MCP error -32603: disk full'),
		remote,
		'It answered with error -32603: disk full',
		'passing',
	],
	[
		'no version',
		new SdkError(SdkErrorCode.EraNegotiationFailed, 'no fallback'),
		remote,
		'No protocol version in common: no fallback',
		'permanent',
	],
	[
		'a cause',
		new SdkError(SdkErrorCode.EraNegotiationFailed, 'x', undefined, {
			cause: fetchFailed('ENOTFOUND'),
		}),
		remote,
		unreachable('its host name is not known'),
		'passing',
	],
	[
		'no JSON',
		new SyntaxError('Unexpected token'),
		remote,
		'Its answer is not one of a tool server',
		'passing',
	],
	['ours', new ConnectError({message: 'No way', kind: 'permanent'}), remote, 'No way', 'permanent'],
	['not even an error', 'oops', remote, 'It failed: oops', 'passing'],
])('%s', ([, error, situation, message, kind]) => {
	expect(explain(error, situation)).toEqual({message, kind});
});

test('an aborted signal comes before whatever it surfaces as', () => {
	const signal = AbortSignal.abort();

	expect(explain(new SdkError(SdkErrorCode.RequestTimeout, 'x'), {...remote, signal})).toEqual({
		message: 'The connection was cancelled',
		kind: 'passing',
	});
});

test('no more than 200 characters of what a server said, redacted before they are cut', () => {
	const text = `${'a'.repeat(195)}hunter2-hunter2${'b'.repeat(1000)}`;
	const {message} = explain(http(500, text), remote);

	expect(message).toBe(`It answered with HTTP 500: ${'a'.repeat(195)}[red…`);
});

test('whatever is thrown, a sentence of one line comes of it, without secrets', () => {
	const thrown = fc.oneof(
		fc.anything(),
		fc.string().map(text => new Error(`${text}\u001B[2Jhunter2-hunter2`)),
		fc
			.tuple(fc.integer({min: 100, max: 599}), fc.string())
			.map(([status, text]) => http(status, `${text}hunter2-hunter2`)),
	);
	fc.assert(
		fc.property(thrown, fc.constantFrom(remote, established, local, exited), (error, situation) => {
			const {message} = explain(error, situation);
			expect(message).not.toMatch(/hunter2|\p{Cc}/u);
			expect(message.length).toBeGreaterThan(0);
			expect(message.length).toBeLessThanOrEqual(500);
		}),
	);
});
