import {isJsonObject, type JsonObject, type JsonValue} from './json.ts';
import {createOpenValueFrom, openCredentialFrom} from './open-credential.ts';

/** Replaces secrets in a text. Pure for a given set of secrets. */
export type Redact = {
	(text: string): string;
	/** The offset in an unfinished text from which it may be an incomplete credential; its length when there is none. */
	readonly openFrom?: (text: string) => number;
	/** Characters of a credential that may pass before `openFrom` detects it. */
	readonly lead?: number;
	/** Replaces only known secret values: for text of others, which may legitimately look like credentials. */
	readonly known?: Redact;
};

/** Redacts a text. `path`: the names above it; `undefined` for the name of a member. */
type Hide = (text: string, path: string | undefined) => string;

/** A redacted copy of a value; the names of members are redacted, too. */
export function redactJson(value: JsonObject, hide: Hide, path?: string): JsonObject;
export function redactJson(value: JsonValue, hide: Hide, path?: string): JsonValue;
export function redactJson(value: JsonValue, hide: Hide, path = ''): JsonValue {
	if (typeof value === 'string') {
		return hide(value, path);
	}

	if (Array.isArray(value)) {
		return value.map((one: JsonValue, at) => {
			const {index = at} = isJsonObject(one) ? one : {};
			return redactJson(one, hide, `${path} ${JSON.stringify(index)}`);
		});
	}

	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).map(([name, one]) => [
					hide(name, undefined),
					redactJson(one, hide, `${path} ${name}`),
				]),
			)
		: value;
}

const redactedMark = '[redacted]';

/** Within a word, shorter beginnings of a secret are not held back: most words end in a letter or two that some secret begins with. */
const leastOpen = 4;

/** Size of the cache of texts without secrets: names, identifiers and headers recur, several times for one event. */
const maxHarmless = 512;
const maxHarmlessLength = 128;

/**
 * Shapes of credentials, whatever their value. Group 1, before the secret, is kept. Every pattern is linear:
 * it begins with something rare, and no two adjacent quantifiers match the same character.
 */
const shapes: readonly RegExp[] = [
	/(\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[a-z][\w-]{0,30}[ \t]{1,8})?)[^\s"',;]{4,}/gi,
	/(\bbearer[ \t]{1,8})[\w.~+/=-]{16,}/gi,
	/([?&](?:access_token|api_?key|auth|client_secret|key|password|secret|sig|signature|token)=)[^\s&#"']{4,}/gi,
	/(\/\/[^\s/:@"']{0,256}:)[^\s/@"']{1,512}(?=@)/g,
	/()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
	/()\bsk-[\w-]{16,}/g,
	/()\bgh[opsur]_\w{16,}/g,
	/()\bgithub_pat_\w{16,}/g,
	/()\bglpat-[\w-]{16,}/g,
	/()\bxox[abeoprs]-[\w-]{8,}/g,
	/()\bwhs(?:ec|k)_[\w+/=-]{8,}/g,
	/()\b[a-z][a-z0-9]{0,15}_(?:live|test)_\w{16,}/g,
	/()\bAKIA[A-Z0-9]{16}\b/g,
	/()\bAIza[\w-]{35}/g,
	/()(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** Secrets that are replaced, of which the newest are still hidden. */
const maxReplaced = 500;

/**
 * Secrets by where they come from, as one list: the same array until one of its parts is other than before, since what is made of many secrets is dear. `part`
 * gives its owner the way to say which secrets it has now. One that is replaced stays hidden until the program ends: the other side may still take it.
 */
export function createSecretList() {
	const parts = new Map<object, readonly string[]>();
	let replaced: readonly string[] = [];
	let all: readonly string[] = [];
	return {
		all: (): readonly string[] => all,
		part() {
			const owner = {};
			return (secrets: readonly string[]) => {
				const before = all;
				parts.set(owner, secrets);
				const now = new Set([...parts.values()].flat());
				replaced = [...new Set([...replaced, ...before])]
					.filter(secret => !now.has(secret))
					.slice(-maxReplaced);
				all = [...now, ...replaced];
			};
		},
	};
}

export type SecretList = ReturnType<typeof createSecretList>;

/** UUIDs, digests and numbers, new with each event: no shape consists of these characters only. */
const shapeless = /^[\da-f-]*$/;

/**
 * Replaces credentials by `[redacted]`: those of `secretValues` (6 characters or more; also base64, hex, URL-encoded and
 * JSON-escaped) and, unless `byShape` is false, any text in the shape of a credential. `secretValues` is called each time, so that a reload takes effect at once;
 * it should return the same array while nothing changed. Linear in the length of the text.
 */
export function createRedact(
	secretValues: () => readonly string[],
	{byShape = true}: {readonly byShape?: boolean} = {},
): Redact {
	let latest: readonly string[] | undefined;
	let hideValues = createHider([], redactedMark);
	let forms: ReadonlyMap<string, readonly string[]> = new Map();
	let openValueFrom = createOpenValueFrom([]);
	let open: Parameters<typeof openCredentialFrom>[1] = {openSpaced: openValueFrom, longest: 0};
	const harmless = new Set<string>();

	const remember = (text: string) => {
		if (harmless.size >= maxHarmless) {
			harmless.clear();
		}

		harmless.add(text);
	};

	const keepUp = () => {
		const values = secretValues();
		if (values === latest) {
			return;
		}

		latest = values;
		harmless.clear();
		forms = new Map(
			values
				.filter(({length}) => length >= minHiddenLength)
				.map(value => [value, forms.get(value) ?? formsOf(value)]),
		);
		const all = [...forms.values()]
			.flat()
			.filter(form => form.length >= minHiddenLength && !redactedMark.includes(form));
		hideValues = createHider(all, redactedMark);
		const words = Object.groupBy(all, form => (isWord.test(form) ? 'whole' : 'spaced'));
		openValueFrom = createOpenValueFrom(all, leastOpen);
		open = {
			openSpaced: createOpenValueFrom(words.spaced ?? []),
			longest: Math.max(0, ...(words.whole ?? []).map(({length}) => length)),
		};
	};

	const redact = (text: string) => {
		keepUp();
		if (harmless.has(text)) {
			return text;
		}

		const withoutValues = hideValues(text);
		const result =
			byShape && !shapeless.test(withoutValues)
				? shapes.reduce((rest, shape) => hide(rest, shape, `$1${redactedMark}`), withoutValues)
				: withoutValues;
		if (text.length <= maxHarmlessLength && result === text) {
			remember(text);
		}

		return result;
	};

	const known = Object.assign(
		(text: string) => {
			keepUp();
			return hideValues(text);
		},
		{
			lead: leastOpen - 1,
			openFrom(text: string) {
				keepUp();
				return openValueFrom(text);
			},
		},
	);
	return Object.assign(redact, {
		known,
		openFrom(text: string) {
			keepUp();
			return openCredentialFrom(text, open);
		},
	});
}

/** Printable ASCII without white space: a single word. */
const isWord = /^[\x21-\x7E]*$/;

/** Most texts hold no credential, and `test` costs a tenth of `replace`. `replace` resets the `lastIndex` that `test` leaves behind. */
const hide = (text: string, pattern: RegExp, by: string): string =>
	pattern.test(text) ? text.replace(pattern, by) : text;

function formsOf(value: string): readonly string[] {
	const encoded = encodeURIComponent(value.toWellFormed());
	const bytes = Buffer.from(value);
	const hex = bytes.toString('hex');
	return [
		value,
		JSON.stringify(value).slice(1, -1),
		...[encoded, encoded.replace(/%[0-9A-F]{2}/g, escape => escape.toLowerCase())].flatMap(text => [
			text,
			text.replaceAll('%20', '+'),
		]),
		...base64FormsOf(bytes),
		hex,
		hex.toUpperCase(),
	];
}

/**
 * The base64 characters that depend only on `bytes`, for each of the three alignments: in basic authentication
 * the user name before the secret shifts it.
 */
function base64FormsOf(bytes: Buffer): readonly string[] {
	return [0, 1, 2].flatMap(offset => {
		const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
		const whole = Math.floor((padded.length * 8) / 6);
		const text = padded.toString('base64url').slice(Math.ceil((offset * 8) / 6), whole);
		return [text, text.replaceAll('-', '+').replaceAll('_', '/')];
	});
}

/** Length of the look-up prefix, and of the shortest hidden text, in UTF-16 units. Hiding shorter ones would hide common words. */
export const minHiddenLength = 6;

/** Texts with the same prefix. */
type Bucket = {
	/** Longest first. */
	readonly lengths: readonly number[];
	readonly texts: ReadonlySet<string>;
};

/**
 * Replaces each of `texts` (6 characters or more) by `mark`, from left to right, the longest match first. Texts are looked up by their prefix, because a regular expression of
 * thousands of them takes seconds to compile and milliseconds for each line. Linear in the length of the text.
 */
export function createHider(texts: readonly string[], mark: string): (text: string) => string {
	const alike = Map.groupBy(
		texts.filter(({length}) => length >= minHiddenLength),
		text => text.slice(0, minHiddenLength),
	);
	const buckets = new Map(
		alike.entries().map(([beginning, some]) => [beginning, bucketOf(some)] as const),
	);
	// Sized by the number of texts: most processes know a handful of secrets, and make a hider at each reload.
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

/** A hash of three units: enough to skip the map at most offsets. */
const hashOf = (text: string, index: number): number =>
	text.charCodeAt(index) + text.charCodeAt(index + 1) * 31 + text.charCodeAt(index + 2) * 31 * 31;
