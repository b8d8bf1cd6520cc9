/** Credentials of known shapes are not longer than this; known values may be. */
const maxWordLength = 1024;

/** A prefix that is part of the shape of a credential: `Authorization: Bearer `. Matched right before a word. */
const leads =
	/(?:\bauthorization["']?[ \t]{0,8}(?:[:=][ \t]{0,8}["']?(?:[a-z][\w-]{0,30}[ \t]{1,8})?)?|\bbearer[ \t]{1,8}|-----BEGIN[A-Z0-9 ]{0,60})$/i;

/** A little more than the longest match of `leads`. */
const leadLength = 120;

/** Where the last word of printable ASCII begins; the length of the text when it does not end in one. */
function lastWordOf(text: string): number {
	let start = text.length;
	while (start > 0) {
		const unit = text.charCodeAt(start - 1);
		if (unit <= 0x20 || unit > 0x7e) {
			break;
		}

		start--;
	}

	return start;
}

/**
 * The offset in an unfinished text from which it may turn out to be a credential; the length of the text when there is none. `openSpaced`: the same offset for secret values with white space
 * or non-ASCII characters, which are not single words. `longest`: length of the longest other value.
 */
export function openCredentialFrom(
	text: string,
	{openSpaced, longest}: {readonly openSpaced: (text: string) => number; readonly longest: number},
): number {
	let from = Math.max(lastWordOf(text), text.length - Math.max(longest, maxWordLength));
	const before = text.slice(Math.max(0, from - leadLength), from);
	const lead = leads.exec(before);
	if (lead) {
		from -= lead[0].length;
	}

	return Math.min(from, openKeyFrom(text), openSpaced(text));
}

const isLetterOrDigit = /^[A-Za-z0-9]$/;

/**
 * Finds the offset from which a text ends in the incomplete beginning of one of `values`; the length of the text when there is none. In the middle of a word, beginnings of less than `least`
 * characters do not count. Most texts end in no such beginning, and cost one set look-up per character.
 */
export function createOpenValueFrom(
	values: readonly string[],
	least = 1,
): (text: string) => number {
	const alike = Map.groupBy(values, value => value.slice(0, 2));
	const firsts = new Set(values.map(value => value[0]));
	const longest = Math.max(0, ...values.map(({length}) => length));
	const begins = (end: string) =>
		end.length === 1
			? firsts.has(end)
			: alike
					.get(end.slice(0, 2))
					?.some(value => value.length > end.length && value.startsWith(end));
	return text => {
		for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
			if (
				firsts.has(text[at]) &&
				begins(text.slice(at)) &&
				(text.length - at >= least || !isLetterOrDigit.test(text[at - 1] ?? ''))
			) {
				return at;
			}
		}

		return text.length;
	};
}

const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;

/** The offset of a private key without its end line; the length of the text when there is none. */
function openKeyFrom(text: string): number {
	const begin = text.lastIndexOf('-----BEGIN ');
	if (begin === -1) {
		return text.length;
	}

	const rest = text.slice(begin);
	return /^-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY-----|$)/.test(rest) && !keyEnd.test(rest)
		? begin
		: text.length;
}
