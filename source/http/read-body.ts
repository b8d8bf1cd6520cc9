import type {IncomingMessage} from 'node:http';

export type BodyRead =
	| {readonly kind: 'whole'; readonly body: Buffer}
	/** The body has more than `limit` bytes, or there is no room for it; the rest was not read. */
	| {readonly kind: 'too-large'}
	/** The client disconnected, or sent an invalid body. */
	| {readonly kind: 'cut'; readonly bytes: number};

/**
 * Reads a request's body, at most `limit` bytes of it. Never rejects. The time is bounded by the server's `requestTimeout`.
 * After `too-large` the request is paused. `hasRoom` is called for each chunk.
 */
export async function readBody(
	request: IncomingMessage,
	limit: number,
	hasRoom: (bytes: number) => boolean = () => true,
): Promise<BodyRead> {
	return new Promise(resolve => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		const settle = (result: BodyRead) => {
			request.off('data', onData);
			request.off('end', onEnd);
			request.off('close', onClose);
			resolve(result);
		};

		const onData = (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > limit || !hasRoom(chunk.length)) {
				request.pause();
				settle({kind: 'too-large'});
				return;
			}

			chunks.push(chunk);
		};

		const onEnd = () => {
			const [only] = chunks;
			// Most bodies come in one chunk, and need no copy.
			settle({
				kind: 'whole',
				body: only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes),
			});
		};

		const onClose = () => settle({kind: 'cut', bytes});

		request.on('data', onData);
		request.on('end', onEnd);
		request.on('close', onClose);
	});
}

/** The size that the client declared, in bytes; `undefined` for a chunked body. */
export function declaredSize(request: IncomingMessage): number | undefined {
	const length = request.headers['content-length'];
	return length === undefined ? undefined : Number(length);
}

export type RequestTarget = {
	/** Requested host and port, as written; `undefined` in an HTTP/1.0 request without them. */
	readonly authority: string | undefined;
	/** Without the query. */
	readonly path: string;
};

const absolute = /^https?:\/\/([^/?]*)/i;

/**
 * The target of a request. The host of a target in absolute form (`GET http://host/path`) overrides the `Host` header.
 *
 * @see RFC 9112 §3.2.2
 */
export function requestTargetOf({url = '', headers}: IncomingMessage): RequestTarget {
	const [start = '', authority = headers.host] = url.startsWith('/')
		? []
		: (absolute.exec(url) ?? []);
	const query = url.indexOf('?', start.length);
	return {authority, path: url.slice(start.length, query === -1 ? undefined : query)};
}

/** The host of an authority, without its port. */
export const hostOfAuthority = (authority: string): string => authority.replace(/:\d*$/, '');
