import {createHmac, timingSafeEqual} from 'node:crypto';
import {maxMarkLength} from './mark-length.ts';

/** Knows again what this gateway wrote where others read and write, too. */
export type AuthorshipMark = {
	/** The text with the mark at its end: `maxMarkLength` characters more at most. */
	readonly sign: (text: string) => string;
	/** Whether `text` is, word for word, one that was signed with this key. Looks at the last characters first: a text without a mark costs nothing. */
	readonly isOwn: (text: string) => boolean;
};

/** What stands before the mark itself is its whole text: without it, a mark that was copied would pass below any other. */
const markAtEnd = /\s*<!-- svc:([A-Za-z0-9_-]{22}) -->\s*$/;

/** No text that code hosts take is longer; in UTF-16 units. */
const maxTextLength = 262_144;

const macBytes = 16;

/**
 * A mark is an HTML comment, which code hosts keep and do not show. It holds a MAC of the text before it under a key of this home, and nothing else: nobody can make one, learns anything
 * from one, or may put one under words of their own.
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

			// Only the end is searched: whatever a stranger wrote before it, this takes the same time.
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

/** Code hosts turn line feeds into pairs, and cut blanks at either end. */
const normalise = (text: string): string => text.replaceAll('\r\n', '\n').trim();
