import type {IncomingMessage} from 'node:http';

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
