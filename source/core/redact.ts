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
	/** The offset at which an incomplete credential may begin at the end of an unfinished text; the length of the text if there is none. */
	readonly openFrom?: (text: string) => number;
	/** Number of first characters of a credential that `openFrom` may miss; absent: 0. */
	readonly lead?: number;
	/** Replaces only known secret values: for foreign texts, parts of which may legitimately look like credentials. */
	readonly known?: Redact;
};

/** Redacts a string in a JSON value. `path`: the names of the members that lead to it; `undefined` if the string is itself such a name. */
type Hide = (text: string, path: string | undefined) => string;

/** Copies a value with its strings and the names of its members redacted. */
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

/** Least length of a secret's beginning that is held back within a word: most words end in a letter or two with which some secret begins. */
const leastOpen = 4;

/** Size of the cache of texts without secrets: the same names, identifiers and headers are redacted several times for one event. */
const maxHarmless = 512;
const maxHarmlessLength = 128;

/**
 * Recognise credentials by their shape. Group 1, the part before the secret, is kept. Every pattern takes linear time:
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

/** Number of replaced secrets, the newest ones, that are still hidden. */
const maxReplaced = 500;

/**
 * Joins the secrets of several owners into one list: `part` returns a function with which one owner sets its current secrets. `all` returns the same array until a
 * secret changes, since deriving data from many secrets is expensive. The newest 500 replaced secrets stay in the list until the program ends: the other side may
 * still accept them.
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

/** Skips `shapes` for UUIDs, digests and numbers, which are new with each event: no credential shape consists of these characters only. */
const shapeless = /^[\da-f-]*$/;

/**
 * Replaces credentials by `[redacted]`: the values of `secretValues` (6 characters or more; also encoded or escaped, see
 * `formsOf`) and, unless `byShape` is false, any text in the shape of a credential. `secretValues` is called for each text, so that a reload takes effect at once;
 * it should return the same array while nothing has changed. Linear in the length of the text.
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

/** Tests first: most texts hold no credential, and `test` costs a tenth of `replace`. `replace` resets the `lastIndex` that `test` leaves behind. */
const hide = (text: string, pattern: RegExp, by: string): string =>
	pattern.test(text) ? text.replace(pattern, by) : text;

/** Redaction of a streamed text. */
export type RedactedPieces = {
	/** The redacted text that may be shown after `piece`; a possible beginning of a credential is held back until the next piece. */
	add(piece: string): string;
	/** For a pause of the stream, which may go on later: releases the held text, unless it is long enough to be part of a secret. */
	pause(): string;
	/** Releases the held text at the end of the stream. */
	end(): string;
	readonly isHolding: boolean;
};

/** Most characters that are held back; credentials are shorter. */
const maxHeldLength = 32_768;

/** Redacts a streamed text; the pieces may be cut anywhere, even into single letters. */
export function createRedactedPieces(redact: Redact): RedactedPieces {
	/** The end of the text so far; its first `left` characters have been shown already. */
	let tail = '';
	let left = 0;

	/** `text` begins with `tail`. Returns the part of it that was not shown yet, redacted. */
	const newIn = (text: string): string => {
		if (left >= text.length) {
			return '';
		}

		const shown = redact(text);
		let same = 0;
		// If a credential begins in the part already shown, its mark is shown from there.
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
			// A credential that spans the cut is found only in the whole text: hold it all back.
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
