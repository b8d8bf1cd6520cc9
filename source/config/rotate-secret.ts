import {randomBytes} from 'node:crypto';
import {dayOf} from '../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {generateSecret} from './merge-subscription.ts';
import {referencesIn} from './references.ts';
import {insecureSecret, isSet, writtenSecrets} from './route-refusals.ts';
import {keyPrefix, problemWithSecret, publicPrefix} from './secret-problem.ts';
import {hasHexKeys, signatureOf} from './signature-schema.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Longest time for which a replaced secret may pass beside the new one. */
const maxOverlapMs = 30 * dayMs;

/** How long an ended secret is kept, so that refusals can be explained: "matches the previous secret". */
const memoryMs = 30 * dayMs;

/** Most retired secrets: each costs a comparison at every refusal. */
const maxRetired = 20;

const keyBytes = 32;

export type Rotation = {
	/** The new secret; absent: one is generated. */
	readonly secret?: string | undefined;
	/** Milliseconds since 1970. */
	readonly now: number;
	/** How long the replaced secrets still pass, milliseconds: 0 to 30 days. */
	readonly overlapMs: number;
};

export type Rotated =
	| {
			readonly ok: true;
			readonly entry: JsonObject;
			readonly secret: string;
			/** Number of replaced secrets that pass until `now + overlapMs`. */
			readonly kept: number;
	  }
	/** The rest of a sentence after the name of the route; holds no secret. */
	| {readonly ok: false; readonly reason: string};

/**
 * `entry` (a dynamic or static route, as written) with a new secret. The replaced secrets go to `retired_secrets`, where no secret passes longer than the overlap. At most
 * 20 are kept there: those that ended more than 30 days ago, or exceed 20, are dropped, but never one that still passes. Only a literal secret can be replaced. Pure but
 * for the new secret.
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

/** When a retired secret ends, milliseconds since 1970; NaN for an invalid time. */
const endOf = ({until}: JsonObject): number =>
	typeof until === 'string' ? Date.parse(until) : Number.NaN;

const isRemembered = (retired: JsonObject, now: number): boolean =>
	endOf(retired) + memoryMs >= now;

/** The end of an earlier secret, at most that of the secret replaced now: without an overlap only the new secret passes. */
const earlierOf = (before: JsonValue | undefined, now: string): JsonValue =>
	typeof before === 'string' && Date.parse(before) <= Date.parse(now) ? before : now;

/** A new secret in the form of the old one. */
const secretLike = (old: string): string =>
	old.startsWith(keyPrefix)
		? `${keyPrefix}${randomBytes(keyBytes).toString('base64')}`
		: generateSecret();

/** The first reason against a rotation; `undefined`: none. */
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

/** Why no secret can be generated: senders that make their own secrets cannot use ours. */
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

/** Longest secret in bytes: no sender accepts a longer one. */
const maxSecretBytes = 4096;

/** Why a secret is unusable, as the rest of a sentence after `a secret that`; `undefined`: it can be written and compared. Does not repeat its content. */
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
