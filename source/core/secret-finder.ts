/** Longest credential of a known shape; known secret values may be longer. */
const maxWordLength = 1024;

/** Matches text right before a word that makes the word a credential: `Authorization: Bearer `. */
const leads =
	/(?:\bauthorization["']?[ \t]{0,8}(?:[:=][ \t]{0,8}["']?(?:[a-z][\w-]{0,30}[ \t]{1,8})?)?|\bbearer[ \t]{1,8}|-----BEGIN[A-Z0-9 ]{0,60})$/i;

/** A little more than the longest match of `leads`. */
const leadLength = 120;

/** The offset of the word of printable ASCII at the end of a text; the length of the text if there is none. */
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
 * The offset at which an incomplete credential may begin at the end of an unfinished text; the length of the text if there is none. `openSpaced`: finds that offset for
 * secret values that are not single words of ASCII. `longest`: length of the longest other value.
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
 * Returns a function that finds the offset at which the incomplete beginning of one of `values` ends a text; the length of the text if there is none. Within a word,
 * beginnings shorter than `least` do not count. A text without such a beginning, as most are, costs one set look-up per character.
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

/** The offset of a private key whose end line is missing yet; the length of the text if there is none. */
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

/** A secret as other texts spell it: base64, hex, percent-encoded (once or twice, as URLs and forms do), escaped for JSON (once or twice, as JavaScript, PHP, Go and .NET do) and for HTML. */
export function formsOf(value: string): readonly string[] {
	const bytes = Buffer.from(value);
	const hex = bytes.toString('hex');
	const encoded = encodeURIComponent(value.toWellFormed());
	// The encoding of forms, which also encodes `~!'()`.
	const ofForm = new URLSearchParams([['', value]]).toString().slice(1);
	const strict = encoded.replaceAll(/[!'()*]/g, percentEscape);
	const percent = [encoded, strict, ofForm, ofForm.replaceAll('+', '%20')].flatMap(text => [
		text,
		text.replaceAll('%20', '+'),
		encodeURIComponent(text),
	]);
	const json = JSON.stringify(value).slice(1, -1);
	const escaped = [
		json,
		json.replaceAll('/', '\\/'),
		...unicodeEscaped(json, /[&<>]/g),
		...unicodeEscaped(json, /\\"|[&<>'+`]/g),
		JSON.stringify(json).slice(1, -1),
	];
	return [
		...new Set([
			value,
			...escaped,
			...percent,
			...percent.map(text => text.replaceAll(/%(?:25)?[0-9A-F]{2}/g, code => code.toLowerCase())),
			...htmlFormsOf(value),
			...base64FormsOf(bytes),
			hex,
			hex.toUpperCase(),
		]),
	];
}

const percentEscape = (character: string): string =>
	`%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** `\u003c` or `\u003C` for each character that matches, or for the quotation mark behind a backslash. */
const unicodeEscaped = (json: string, pattern: RegExp): readonly string[] =>
	[String, (digits: string) => digits.toUpperCase()].map(spelled =>
		json.replaceAll(pattern, found => {
			const digits = found
				.charCodeAt(found.length - 1)
				.toString(16)
				.padStart(4, '0');
			return `\\u${spelled(digits)}`;
		}),
	);

const htmlNames: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
};

/** Escaped for HTML; the apostrophe stays, or is written in one of four ways. Go writes a quotation mark by its number. */
const htmlFormsOf = (value: string): readonly string[] =>
	["'", '&#39;', '&#x27;', '&#039;', '&apos;'].flatMap(apostrophe => {
		const escaped = value.replaceAll(/[&<>"']/g, character => htmlNames[character] ?? apostrophe);
		return [escaped, escaped.replaceAll('&quot;', '&#34;')];
	});

/**
 * The base64 characters that depend only on `bytes`, for each of the three alignments: text before the secret, such as
 * the user name in basic authentication, shifts it.
 */
function base64FormsOf(bytes: Buffer): readonly string[] {
	return [0, 1, 2].flatMap(offset => {
		const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
		const whole = Math.floor((padded.length * 8) / 6);
		const text = padded.toString('base64url').slice(Math.ceil((offset * 8) / 6), whole);
		return [text, text.replaceAll('-', '+').replaceAll('_', '/')];
	});
}

/** Length of the shortest text that is hidden, and of the look-up prefix, in UTF-16 units. Hiding shorter texts would hide common words. */
export const minHiddenLength = 6;

/** Texts with the same prefix. */
type Bucket = {
	/** Longest first. */
	readonly lengths: readonly number[];
	readonly texts: ReadonlySet<string>;
};

/**
 * Replaces each of `texts` (6 characters or more) by `mark`, from left to right, the longest match first. Uses look-ups by prefix, because a regular expression of thousands of
 * texts takes seconds to compile and milliseconds for each line. Linear in the length of the text.
 */
export function createHider(texts: readonly string[], mark: string): (text: string) => string {
	const alike = Map.groupBy(
		texts.filter(({length}) => length >= minHiddenLength),
		text => text.slice(0, minHiddenLength),
	);
	const buckets = new Map(
		alike.entries().map(([beginning, some]) => [beginning, bucketOf(some)] as const),
	);
	// Sized by the number of texts: most processes know few secrets, and create a new hider at each reload.
	const mayBegin = new Uint8Array(Math.min(maxHashCount, 64 * (buckets.size + 1)));
	const hashAt = (text: string, index: number): number => hashOf(text, index) % mayBegin.length;
	for (const beginning of buckets.keys()) {
		mayBegin[hashAt(beginning, 0)] = 1;
	}

	const lengthAt = (text: string, start: number): number => {
		const bucket = buckets.get(text.slice(start, start + minHiddenLength));
		return bucket?.lengths.find(length => bucket.texts.has(text.slice(start, start + length))) ?? 0;
	};

	return text => {
		let result = '';
		let copied = 0;
		for (let index = 0; index <= text.length - minHiddenLength; index++) {
			const length = mayBegin[hashAt(text, index)] === 0 ? 0 : lengthAt(text, index);
			if (length > 0) {
				result += text.slice(copied, index) + mark;
				copied = index + length;
				index = copied - 1;
			}
		}

		return copied === 0 ? text : result + text.slice(copied);
	};
}

const bucketOf = (texts: readonly string[]): Bucket => ({
	lengths: [...new Set(texts.map(({length}) => length))].toSorted((a, b) => b - a),
	texts: new Set(texts),
});

const maxHashCount = 2 ** 16;

/** A hash of three UTF-16 units: enough to avoid the look-up in the map at most offsets. */
const hashOf = (text: string, index: number): number =>
	text.charCodeAt(index) + text.charCodeAt(index + 1) * 31 + text.charCodeAt(index + 2) * 31 * 31;
