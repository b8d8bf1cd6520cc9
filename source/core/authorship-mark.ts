import {createHmac, timingSafeEqual} from 'node:crypto';
import {maxMarkLength} from './mark-length.ts';

/** Recognises texts that this gateway wrote in places where others write as well. */
export type AuthorshipMark = {
	/** The text with the mark at its end: `maxMarkLength` characters more at most. */
	readonly sign: (text: string) => string;
	/** Whether `text` was signed with this key and not changed since. Looks at the last characters first: a text without a mark costs nothing. */
	readonly isOwn: (text: string) => boolean;
};

/** The MAC covers the whole text before the mark: a mark copied below another text does not pass. */
const markAtEnd = /\s*<!-- svc:([A-Za-z0-9_-]{22}) -->\s*$/;

/** The longest text that code hosts accept, in UTF-16 units. */
const maxTextLength = 262_144;

const macBytes = 16;

/**
 * A mark is an HTML comment, which code hosts keep but do not show. It holds only a MAC of the text before it, under a key of this home: without the key a mark can neither be
 * made nor moved below another text, and it discloses nothing.
 *
 * @see manual/delivery-forge-comment.md#what-svc-wrote-itself, RFC 2104
 */
export function createAuthorshipMark(key: Uint8Array): AuthorshipMark {
	const macOf = (text: string): Buffer =>
		createHmac('sha256', key)
			.update(`svc comment 1\n${normalise(text)}`)
			.digest()
			.subarray(0, macBytes);

	return {
		sign: text => `${text}\n\n<!-- svc:${macOf(text).toString('base64url')} -->`,
		isOwn(text) {
			if (text.length > maxTextLength) {
				return false;
			}

			// Only the end is searched: the time does not depend on the text before it.
			const end = text.slice(-2 * maxMarkLength);
			const found = markAtEnd.exec(end.trimEnd());
			const [whole = '', mac = ''] = found ?? [];
			return (
				found !== null &&
				timingSafeEqual(
					Buffer.from(mac, 'base64url'),
					macOf(text.slice(0, text.trimEnd().length - whole.length)),
				)
			);
		},
	};
}

/** Code hosts turn LF into CRLF, and trim the text. */
const normalise = (text: string): string => text.replaceAll('\r\n', '\n').trim();
