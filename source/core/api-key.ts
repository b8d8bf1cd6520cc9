import {hash, randomBytes} from 'node:crypto';
import {crc32} from 'node:zlib';
import {timeWithOffset} from './clock.ts';
import {fitsStars} from './names.ts';
import type {
	apiKeySchema,
	keyBudgetSchema,
	keyDaySchema,
	keyUsageSchema,
} from './schemas/api-key.ts';
import type {Shape} from './schemas/parts.ts';

/** `test`: may use only the offline model, and nothing is delivered. */
export const keyKinds = ['live', 'test'] as const;
type KeyKind = (typeof keyKinds)[number];

/** The parts of the chat API that a key may use. */
export const apiEndpoints = ['chat', 'responses', 'models', 'approvals'] as const;
export type ApiEndpoint = (typeof apiEndpoints)[number];

/** Default endpoints of a key; `approvals` must be granted explicitly. */
export const usualEndpoints: readonly ApiEndpoint[] = ['chat', 'responses', 'models'];

export const budgetPeriods = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** A key as faces see it: without its secret and the hash of the secret. */
export type ApiKey = Shape<typeof apiKeySchema>;
export type KeyBudget = Shape<typeof keyBudgetSchema>;
export type KeyUsage = Shape<typeof keyUsageSchema>;
export type KeyDay = Shape<typeof keyDaySchema>;

/** A key without its usage, which is computed only for display. */
export type KeyFacts = Omit<ApiKey, 'usage'>;

/** The properties that a person chooses for a new key. */
export type KeyGrant = Pick<ApiKey, 'name' | 'kind' | 'endpoints' | 'models' | 'agents'> &
	Partial<Pick<ApiKey, 'rpm' | 'parallel' | 'budget' | 'expiresAt'>>;

/** A key in stored form: hashes instead of secrets. */
export type KeyRecord = Omit<ApiKey, 'usage' | 'hint' | 'retiring'> & {
	/** The current secret, then during a rotation the former one. `hash`: hex SHA-256 of the whole key. */
	readonly secrets: ReadonlyArray<{
		readonly hash: string;
		readonly hint: string;
		/** End of validity, milliseconds since 1970; absent: valid as long as the key. */
		readonly until?: number;
	}>;
};

/** Why a key is no longer accepted. */
type KeyEnd = 'revoked' | 'expired';

/** Why the key has ended by `now`, milliseconds since 1970; `undefined`: it is still valid. */
export function endOf(
	{revokedAt, expiresAt}: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
	now: number,
): KeyEnd | undefined {
	if (revokedAt !== undefined) {
		return 'revoked';
	}

	return expiresAt !== undefined && expiresAt <= now ? 'expired' : undefined;
}

/** Whether the key allows `model` (a public identifier); `*` in the patterns of the key matches any characters. */
export const mayUseModel = ({models}: Pick<ApiKey, 'models'>, model: string): boolean =>
	models.some(pattern => fitsStars(pattern, model));

const dayMs = 86_400_000;

/** Start of the period that contains `at`, both milliseconds since 1970, by UTC. Weeks begin on Monday. */
export function periodStart(at: number, per: BudgetPeriod): number {
	const date = new Date(at);
	const day = at - (at % dayMs);
	switch (per) {
		case 'day':
			return day;

		case 'week':
			return day - ((date.getUTCDay() + 6) % 7) * dayMs;

		case 'month':
			return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
	}
}

/** End of the period that contains `at`: the start of the next one. */
export function periodEnd(at: number, per: BudgetPeriod): number {
	const start = periodStart(at, per);
	if (per === 'month') {
		const date = new Date(start);
		return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
	}

	return start + (per === 'week' ? 7 : 1) * dayMs;
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = digits.length;
const randomLength = 30;
const checksumLength = 6;
/** The largest multiple of 62 up to 256. Random bytes from this value on are skipped: they would make some digits more likely. */
const evenBytes = 256 - (256 % base);

/** The form of `api.key_prefix`. */
export const keyPrefixPattern = /^[a-z][a-z0-9]{0,15}$/;

const keyPattern = /^[a-z][a-z0-9]{0,15}_(?<kind>live|test)_[0-9A-Za-z]{36}$/;

/** Length of the longest key, in characters; longer texts are not checked. */
export const maxKeyLength = 16 + '_live_'.length + randomLength + checksumLength;

/**
 * A new key: `<prefix>_live_` or `<prefix>_test_`, 30 random characters of base 62 (178 bits), and six characters with the CRC-32 of everything before them, so that
 * a truncated or mistyped key is recognised without a look-up.
 *
 * @see manual/api-keys.md#what-a-key-looks-like
 */
export function mintKey({kind, prefix}: {readonly kind: KeyKind; readonly prefix: string}): string {
	const start = `${prefix}_${kind}_${randomDigits(randomLength)}`;
	return `${start}${checksumOf(start)}`;
}

/** A new identifier of a key: public, short enough to be typed. */
export const mintKeyId = (): string => `key_${randomDigits(12)}`;

/** The kind of a text with the form and the checksum of a key, valid or not; `undefined` for any other text. */
export function kindOfKey(text: string): KeyKind | undefined {
	const kind = text.length > maxKeyLength ? undefined : keyPattern.exec(text)?.groups?.['kind'];
	const start = text.slice(0, -checksumLength);
	return (kind === 'live' || kind === 'test') && text === `${start}${checksumOf(start)}`
		? kind
		: undefined;
}

/** Lower-case hex SHA-256. A key has enough random bits not to need a slow hash. */
export const hashOfKey = (key: string): string => hash('sha256', key);

/** An abbreviated key for people to recognise: `svc_live_pdvC…fuC0`. */
export function hintOfKey(key: string): string {
	const start = key.lastIndexOf('_') + 1;
	return `${key.slice(0, start + 4)}…${key.slice(-4)}`;
}

function checksumOf(text: string): string {
	let rest = crc32(text);
	let result = '';
	for (let place = 0; place < checksumLength; place += 1) {
		result = `${digits[rest % base]}${result}`;
		rest = Math.floor(rest / base);
	}

	return result;
}

function randomDigits(length: number): string {
	let result = '';
	while (result.length < length) {
		for (const byte of randomBytes(length)) {
			if (byte < evenBytes && result.length < length) {
				result += digits[byte % base];
			}
		}
	}

	return result;
}

/** Longest name of a key, in characters. */
export const maxKeyNameLength = 64;

/** Parses a budget, `100000/day` (also `/week`, `/month`); returns the error message as a string if it is invalid. */
export function readBudget(text: string): KeyBudget | string {
	const [, tokens = '', per = ''] = /^([1-9]\d{0,11})\/([a-z]+)$/.exec(text.trim()) ?? [];
	const period = budgetPeriods.find(one => one === per);
	return period
		? {tokens: Number(tokens), per: period}
		: `Use tokens and ${budgetPeriods.join(', ')}, as 100000/day.`;
}

/** Parses `2026-12-31` (the end of that day in UTC) or a time with a UTC offset to milliseconds since 1970; returns the error message as a string if it is invalid. */
export function readExpiry(written: string, now: number): number | string {
	const text = written.trim();
	const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T24:00:00Z`) : Number.NaN;
	const isDay = !Number.isNaN(day) && new Date(day - 1).toISOString().startsWith(text);
	const at = isDay ? day : timeWithOffset(text);
	if (Number.isNaN(at)) {
		return 'Use a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z.';
	}

	return at <= now ? 'That has passed.' : at;
}
