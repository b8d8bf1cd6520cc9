import type {IncomingMessage} from 'node:http';

/** A host, a port or none. No comma: that is how two joined headers look. */
const hostAndPort = /^(?:\[[\dA-F:.]+\]|[\w\-.~!$&'()*+;=%]*)(?::\d*)?$/i;

/**
 * Why a request that the parser took is none that HTTP/1 allows; `undefined` when it is one. Without the server's `requireHostHeader`, which
 * answers by itself and lets a second `Host` pass.
 *
 * @see RFC 9112 §2.3, 3.2, 6.1, 7
 */
export function malformationOf(given: IncomingMessage): string | undefined {
	const {httpVersion, headers, rawHeaders} = given;
	if (httpVersion !== '1.1' && httpVersion !== '1.0') {
		return 'Unsupported HTTP version';
	}

	const coding = headers['transfer-encoding'];
	if (coding !== undefined && httpVersion === '1.0') {
		return 'Transfer-Encoding in an HTTP/1.0 request';
	}

	// The parser looks at the last one alone, and would give the others' bytes as the body. What does not end so, it refuses itself.
	if (coding !== undefined && /,\s*chunked\s*$/i.test(coding)) {
		return 'Unsupported Transfer-Encoding';
	}

	const {host} = headers;
	if (host === undefined) {
		return httpVersion === '1.1' ? 'Missing Host header' : undefined;
	}

	if (isRepeated(rawHeaders)) {
		return 'More than one Host header';
	}

	return hostAndPort.test(host) ? undefined : 'Invalid Host header';
}

function isRepeated(rawHeaders: readonly string[]): boolean {
	let count = 0;
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index];
		if (name?.length === 4 && name.toLowerCase() === 'host') {
			count += 1;
		}
	}

	return count > 1;
}
