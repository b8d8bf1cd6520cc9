import {isJsonObject, type JsonObject, type JsonValue} from './json.ts';
import {
	createHider,
	createOpenValueFrom,
	formsOf,
	minHiddenLength,
	openCredentialFrom,
} from './secret-finder.ts';

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

/** Most replaced secrets that are still hidden, the newest ones. */
const maxReplaced = 500;

/**
 * Joins the secrets of several owners into one list: the same array until the secrets of an owner change, since deriving data from many secrets is expensive. `part`
 * returns the function by which an owner sets its current secrets. The newest 500 replaced secrets stay hidden until the program ends: the other side may still accept
 * them.
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

/** Redaction of a streamed text. */
export type RedactedPieces = {
	/** The redacted text that may be shown after `piece`; a possible beginning of a credential is held back until the next piece. */
	add(piece: string): string;
	/** The held text when the stream pauses, empty if it is long enough to be part of a secret; the text may go on later. */
	pause(): string;
	/** The held text at the end of the stream. */
	end(): string;
	readonly isHolding: boolean;
};

/** Most characters held back: credentials are shorter. */
const maxHeldLength = 32_768;

/** Redacts a streamed text, however it is cut, even letter by letter. */
export function createRedactedPieces(redact: Redact): RedactedPieces {
	/** The end of the text so far; its first `left` characters have been shown already. */
	let tail = '';
	let left = 0;

	/** The part of `text`, which begins with `tail`, that was not shown yet; redacted. */
	const newIn = (text: string): string => {
		if (left >= text.length) {
			return '';
		}

		const shown = redact(text);
		let same = 0;
		// A credential that begins in the shown part is hidden from there on.
		while (same < left && shown[same] === text[same]) {
			same++;
		}

		return shown.slice(same);
	};

	return {
		add(piece) {
			const text = tail + piece;
			const open = redact.openFrom?.(text) ?? text.length;
			const from = text.length - left > maxHeldLength ? text.length : open;
			const head = text.slice(0, from);
			// A credential across the cut is found only in the whole text.
			if (from < text.length && redact(head) + redact(text.slice(from)) !== redact(text)) {
				tail = text;
				return '';
			}

			const shown = newIn(head);
			const start = Math.max(0, from - (redact.lead ?? 0));
			left = Math.max(from, left) - start;
			tail = text.slice(start);
			return shown;
		},
		pause() {
			const open = redact.openFrom?.(tail) ?? tail.length;
			if (tail.length - open >= minHiddenLength) {
				return '';
			}

			const shown = newIn(tail);
			left = tail.length;
			return shown;
		},
		end() {
			const shown = newIn(tail);
			tail = '';
			left = 0;
			return shown;
		},
		get isHolding() {
			return tail.length > left;
		},
	};
}
