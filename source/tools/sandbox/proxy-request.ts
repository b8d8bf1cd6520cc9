import {type IncomingMessage, type OutgoingHttpHeaders, request as openRequest} from 'node:http';
import {pipeline} from 'node:stream';
import {wordsOf} from '../../core/names.ts';
import type {HttpPair} from '../../http/http-messages.ts';
import type {Reached} from './proxy-reach.ts';
import {hostHeader, type PlainTarget} from './proxy-target.ts';

const maxHeaderBytes = 65_536;

/** Hop-by-hop headers, which are not forwarded. @see RFC 9110 §7.6.1 */
const hopByHop = new Set(
	wordsOf(`
	connection expect http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection
	te trailer transfer-encoding upgrade
`),
);

/**
 * Forwards a plain request to its server, and the answer back. The request is rewritten from its parsed parts, so that the server cannot interpret it differently.
 *
 * @param server.onFailed called at most once: no answer has begun, and none will
 */
export function carryRequest(
	{request, response}: Pick<HttpPair, 'request' | 'response'>,
	{target, path}: PlainTarget,
	{server, onBytes, onFailed}: Extract<Reached, {ok: true}> & {readonly onFailed: () => void},
): void {
	const isChunked = request.headers['transfer-encoding'] !== undefined;
	const hasBody = isChunked || request.headers['content-length'] !== undefined;
	const outgoing = openRequest({
		createConnection: () => server,
		method: request.method ?? 'GET',
		path,
		headers: {
			...headersOf(request),
			host: hostHeader(target),
			connection: 'close',
			// Without either header, a body would be parsed as the next request.
			...(isChunked && {'transfer-encoding': 'chunked'}),
		},
		setHost: false,
		maxHeaderSize: maxHeaderBytes,
	});
	outgoing.on('error', () => {});
	outgoing.once('response', answer => {
		const {statusCode = 0} = answer;
		if (statusCode < 200) {
			// Not a final status: `writeHead` would throw, or switch protocols. The close event reports the failure.
			server.destroy();
			return;
		}

		answer.on('data', onBytes);
		response.writeHead(statusCode, headersOf(answer));
		pipeline(answer, response, () => server.destroy());
	});
	outgoing.once('close', () => {
		if (!response.headersSent) {
			onFailed();
		}
	});
	response.once('close', () => server.destroy());
	if (hasBody) {
		request.on('data', onBytes);
		pipeline(request, outgoing, () => {});
	} else {
		outgoing.end();
	}
}

/** The forwarded headers. `Content-Length` is always included, even if `Connection` names it. */
function headersOf({headersDistinct}: IncomingMessage): OutgoingHttpHeaders {
	const named = new Set(
		(headersDistinct['connection'] ?? []).flatMap(value =>
			value.split(',').map(name => name.trim().toLowerCase()),
		),
	);
	return Object.fromEntries(
		Object.entries(headersDistinct).filter(
			([name]) => name === 'content-length' || !(hopByHop.has(name) || named.has(name)),
		),
	);
}
