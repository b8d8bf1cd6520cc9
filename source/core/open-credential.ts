/** Longer words are no credentials of the shapes that are known, unless they are one of the values. */
const maxWordLength = 1024;

/** What comes before a credential, and is part of its shape: `Authorization: Bearer `. At the end of what precedes a word. */
const leads =
	/(?:\bauthorization["']?[ \t]{0,8}(?:[:=][ \t]{0,8}["']?(?:[a-z][\w-]{0,30}[ \t]{1,8})?)?|\bbearer[ \t]{1,8}|-----BEGIN[A-Z0-9 ]{0,60})$/i;

/** A little more than what `leads` can match. */
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
 * From where on a text that goes on may turn out to be a credential; its length when from nowhere. `spaced`: those of the values that one would cut by words, because they are no ASCII or hold
 * white space. `longest`: length of the longest of the others.
 */
export function openCredentialFrom(
	text: string,
	{spaced, longest}: {readonly spaced: readonly string[]; readonly longest: number},
): number {
	let from = Math.max(lastWordOf(text), text.length - Math.max(longest, maxWordLength));
	const before = text.slice(Math.max(0, from - leadLength), from);
	const lead = leads.exec(before);
	if (lead) {
		from -= lead[0].length;
	}

	from = Math.min(from, openKeyFrom(text));

	for (const value of spaced) {
		from = Math.min(from, text.length - overlap(text, value));
	}

	return from;
}

const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;

/** Where a private key begins whose end is still to come. */
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

/** Length of the longest end of `text` that `value` begins with. */
function overlap(text: string, value: string): number {
	const most = Math.min(text.length, value.length - 1);
	for (let length = most; length > 0; length--) {
		if (text.endsWith(value.slice(0, length))) {
			return length;
		}
	}

	return 0;
}
