import {randomBytes} from 'node:crypto';
import {dayOf} from '../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {generateSecret} from './merge-subscription.ts';
import {referencesIn} from './references.ts';
import {insecureSecret, isSet, writtenSecrets} from './route-refusals.ts';
import {keyPrefix, problemWithSecret, publicPrefix} from './secret-problem.ts';
import {hasHexKeys, signatureOf} from './signature-schema.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long a replaced secret can pass beside the new one. */
const maxOverlapMs = 30 * dayMs;

/** How long it stays after that, so that a refusal can be explained: "matches the previous secret". */
const memoryMs = 30 * dayMs;

/** Each costs a comparison at every refusal. */
const maxRetired = 20;

const keyBytes = 32;

export type Rotation = {
	/** The new secret; one is made when it is absent. */
	readonly secret?: string | undefined;
	/** Milliseconds since 1970. */
	readonly now: number;
	/** How long the replaced secrets still pass: 0 to 30 days, in milliseconds. */
	readonly overlapMs: number;
};

export type Rotated =
	| {
			readonly ok: true;
			readonly entry: JsonObject;
			readonly secret: string;
			/** Secrets that were replaced and pass until `now + overlapMs`. */
			readonly kept: number;
	  }
	/** What follows the name of the route in a sentence; holds no secret. */
	| {readonly ok: false; readonly reason: string};

/**
 * `entry` (a dynamic or a static route, as written) with a new secret; what it replaces goes to `retired_secrets`, where nothing outlasts the overlap. At most 20 stand there: what is over
 * since 30 days, or makes room, is dropped; what still passes never is. Only a secret that is written out can be replaced. Pure but for the new secret.
 *
 * @see manual/routes.md#rotate-a-secret
 */
export function rotateSubscription(entry: JsonObject, rotation: Rotation): Rotated {
	const current = textsIn(entry['secret']);
	const secret = rotation.secret ?? secretLike(current[0] ?? '');
	const reason = whyNot(entry, {
		current,
		secret,
		given: rotation.secret,
		overlapMs: rotation.overlapMs,
	});
	if (reason !== undefined) {
		return {ok: false, reason};
	}

	const until = new Date(rotation.now + rotation.overlapMs).toISOString();
	const replaced = current.filter(text => text !== insecureSecret);
	const gone: ReadonlySet<unknown> = new Set([secret, ...replaced]);
	const before = (Array.isArray(entry['retired_secrets']) ? entry['retired_secrets'] : [])
		.filter(isJsonObject)
		.filter(retired => !gone.has(retired['secret']) && isRemembered(retired, rotation.now))
		.map(retired => ({...retired, until: earlierOf(retired['until'], until)}));
	const retired = [...replaced.map(text => ({secret: text, until})), ...before];
	const passing = retired.filter(one => endOf(one) > rotation.now);
	if (passing.length > maxRetired) {
		return {
			ok: false,
			reason: `would have ${passing.length} earlier secrets that still pass, at most ${maxRetired} can: wait, or rotate without an overlap, which ends them all`,
		};
	}

	const over = retired.filter(one => !passing.includes(one));
	const kept = new Set([...passing, ...over.slice(0, maxRetired - passing.length)]);
	return {
		ok: true,
		entry: {
			...entry,
			secret,
			rotated_on: dayOf(rotation.now),
			...((retired.length > 0 || isSet(entry['retired_secrets'])) && {
				retired_secrets: retired.filter(one => kept.has(one)),
			}),
		},
		secret,
		kept: rotation.overlapMs > 0 ? replaced.length : 0,
	};
}

const textsIn = (written: JsonValue | undefined): readonly string[] =>
	writtenSecrets([written ?? []].flat().filter(text => typeof text === 'string'));

/** Milliseconds since 1970; NaN for an invalid time. */
const endOf = ({until}: JsonObject): number =>
	typeof until === 'string' ? Date.parse(until) : Number.NaN;

const isRemembered = (retired: JsonObject, now: number): boolean =>
	endOf(retired) + memoryMs >= now;

/** An earlier secret ends no later than the one that is replaced now: without an overlap only the new secret passes. */
const earlierOf = (before: JsonValue | undefined, now: string): JsonValue =>
	typeof before === 'string' && Date.parse(before) <= Date.parse(now) ? before : now;

/** A new secret in the form of the old one. */
const secretLike = (old: string): string =>
	old.startsWith(keyPrefix)
		? `${keyPrefix}${randomBytes(keyBytes).toString('base64')}`
		: generateSecret();

/** The first reason against it. */
function whyNot(
	entry: JsonObject,
	{current, secret, given, overlapMs}: Attempt,
): string | undefined {
	const references = current.flatMap(referencesIn);
	if (current.length === 0) {
		return 'has no secret of its own that could be replaced: it uses the global one, platforms.webhook.secret';
	}

	if (references.length > 0) {
		return `takes its secret from ${references.join(', ')}: change the variable in .env; while senders change theirs, a list of the new and the old one lets both pass`;
	}

	if (!(overlapMs >= 0 && overlapMs <= maxOverlapMs)) {
		return 'can keep the old secret for 0 to 30 days';
	}

	return given === undefined ? whyNotMade(entry, current) : whyNotGiven(entry, {current, secret});
}

type Attempt = {
	readonly current: readonly string[];
	readonly secret: string;
	readonly given: string | undefined;
	readonly overlapMs: number;
};

/** Where the sender makes the secret, one of ours would be of no use. */
const whyNotMade = ({signature}: JsonObject, current: readonly string[]): string | undefined =>
	typeof signature === 'string' ||
	(signatureOf(signature)?.kind ?? 'custom') !== 'custom' ||
	current.some(text => text.startsWith(publicPrefix))
		? 'has a sender that makes its secrets itself: give the new one with --secret'
		: undefined;

function whyNotGiven(
	{signature}: JsonObject,
	{current, secret}: Pick<Attempt, 'current' | 'secret'>,
): string | undefined {
	if (secret.trim() === '' || secret === insecureSecret) {
		return 'needs a secret to rotate to, and this is none';
	}

	const unusable = whyUnusable(secret);
	if (unusable !== undefined) {
		return `cannot be given a secret that ${unusable}`;
	}

	if (current.includes(secret)) {
		return 'has this secret already';
	}

	const problem =
		referencesIn(secret).length === 0 &&
		problemWithSecret(secret, {
			hasSignature: isSet(signature),
			isHexKey: hasHexKeys(signature),
		});
	return problem ? `cannot be given ${problem}` : undefined;
}

/** No sender takes a longer one. */
const maxSecretBytes = 4096;

/** What follows `a secret that`; `undefined`: it can be written and compared. Says nothing of what is in it. */
function whyUnusable(secret: string): string | undefined {
	const bytes = Buffer.byteLength(secret);
	if (bytes > maxSecretBytes) {
		return `has ${bytes} bytes, at most ${maxSecretBytes} are allowed`;
	}

	if (!secret.isWellFormed()) {
		return 'is no text: a half of a character stands in it';
	}

	const at = secret.search(/\p{Cc}/u);
	return at === -1
		? undefined
		: `holds a control character (U+${(secret.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}), which no sender can be given: was it copied with its line break?`;
}
