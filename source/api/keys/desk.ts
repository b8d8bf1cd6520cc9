import type {ApiKey, KeyDay, KeyFacts, KeyGrant} from '../../core/api-keys/api-key.ts';
import type {KeyLimited, KeyLimits} from './key-limits.ts';

/** A key with its secret, which is shown once and kept nowhere. */
export type MintedKey = {readonly key: ApiKey; readonly secret: string};

/** One request of a key, from its admission to its end. */
export type KeyPermit = {
	/** Aborts when the key is revoked. */
	readonly signal: AbortSignal;
	/** It may use so many tokens more than was thought; what that is too much for. */
	hold(tokens: number): KeyRefusal | undefined;
	/** What it has used so far; the last word counts. Without one, or with one that cannot be true, what was estimated does. */
	settle(used: {readonly inputTokens: number; readonly outputTokens: number}): void;
	[Symbol.dispose](): void;
};

export type KeyRefusal =
	| KeyLimited
	/** `used` of `most` tokens, `held` for requests under way, and the request may use `asked` more; the budget begins anew in so many milliseconds. */
	| {
			readonly kind: 'budget';
			readonly used: number;
			readonly held: number;
			readonly asked: number;
			readonly most: number;
			readonly retryMs: number;
	  };

export type Admission =
	| {readonly kind: 'admitted'; readonly permit: KeyPermit}
	| {readonly kind: 'refused'; readonly refusal: KeyRefusal};

/** Why a text is no key that passes. */
export type KeyProblem = 'malformed' | 'unknown' | 'revoked' | 'expired';

/** The keys of one gateway: who asks, what is left to them, and what they used. */
export type KeyDesk = {
	/** Oldest first, those that have ended too. */
	list(): readonly ApiKey[];
	/** @throws SvcError `keys_full`, `journal_unavailable` */
	create(grant: KeyGrant, prefix: string): Promise<MintedKey>;
	/** A live key with no bounds, unless there has ever been one. @throws SvcError `journal_unavailable` */
	createFirst(prefix: string): Promise<MintedKey | undefined>;
	/** What a key used on each of the last 40 days, oldest first. `undefined` when there is no such key. */
	days(id: string): readonly KeyDay[] | undefined;
	/** A new secret under the same identifier; the one before passes for `overlapMs` more. `undefined` when there is no such key, or it has ended. */
	rotate(
		id: string,
		options: {readonly overlapMs: number; readonly prefix: string},
	): Promise<MintedKey | undefined>;
	/** Ends both secrets, and the requests under way. `undefined` when there is no such key; one that was revoked before stays as it was. */
	revoke(id: string): Promise<ApiKey | undefined>;
	/** Whose secret it is, if it passes now. Compares digests, so that its time tells nothing. */
	authenticate(secret: string): {readonly key: KeyFacts} | {readonly problem: KeyProblem};
	/** Lets a request begin. `tokens`: an estimate of what it may use at most, which counts until it ends. */
	admit(id: string, tokens: number): Admission;
	/** Requests left to a key in its minute; `undefined` where it has no such bound. */
	left(id: string): ReturnType<KeyLimits['left']> | undefined;
	/** Writes what is not written. */
	[Symbol.asyncDispose](): Promise<void>;
};
