import type {IncomingMessage} from 'node:http';

export type BodyRead =
	| {readonly kind: 'whole'; readonly body: Buffer}
	/** More than `limit` bytes came, or more than there is room for; the rest was not read. */
	| {readonly kind: 'too-large'}
	/** The client went away, or sent something that is no body. */
	| {readonly kind: 'cut'; readonly bytes: number};

/**
 * Reads a request's body, at most `limit` bytes of it. Never rejects. The time is bounded by the server's `requestTimeout`.
 * After `too-large` the request is paused. `hasRoom` is asked of each part that comes.
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
			// Most bodies come in one piece: no copy then.
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
	/** Host and port that the request is for, as its sender wrote them; `undefined` in an HTTP/1.0 request that names none. */
	readonly authority: string | undefined;
	/** Without the query. */
	readonly path: string;
};

const absolute = /^https?:\/\/([^/?]*)/i;

/**
 * What a request is for. A target in absolute form (`GET http://host/path`) counts, and then its host does, not the `Host` header.
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

/** The host of an authority: without its port. */
export const hostOf = (authority: string): string => authority.replace(/:\d*$/, '');
