import {createHmac, timingSafeEqual} from 'node:crypto';
import {maxMarkLength} from './mark-length.ts';

/** Marks the texts of this gateway, to recognise them among texts of others. */
export type AuthorshipMark = {
	/** Appends the mark to a text: at most `maxMarkLength` characters. */
	readonly sign: (text: string) => string;
	/** Whether `text` was signed with this key and not changed since. Cheap for a text without a mark: its end is searched first. */
	readonly isOwn: (text: string) => boolean;
};

/** The MAC covers the whole text before the mark: a mark copied below another text does not pass. */
const markAtEnd = /\s*<!-- svc:([A-Za-z0-9_-]{22}) -->\s*$/;

/** The longest text that code hosts accept, in UTF-16 units. */
const maxTextLength = 262_144;

const macBytes = 16;

/**
 * A mark is an HTML comment, which code hosts keep but do not show. It holds only a MAC of the text before it, under a key of this home. Without the key nobody can make
 * a mark or move one below another text. The mark discloses nothing.
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

/** Undoes changes by code hosts, which turn LF into CRLF and trim the text. */
const normalise = (text: string): string => text.replaceAll('\r\n', '\n').trim();
