import type {ApiKey, KeyDay, KeyFacts, KeyGrant} from '../../core/api-key.ts';
import type {MintedKey} from '../../nouns/key/key-acts.ts';
import type {KeyLimited, KeyLimits} from '../../store/limits/port.ts';

/** One request of a key, from its admission to its end. */
export type KeyPermit = {
	/** Aborts when the key is revoked. */
	readonly signal: AbortSignal;
	/** How many tokens the answer may be by what it needs; `undefined` without a bound. */
	readonly bound: number | undefined;
	/** Holds this instead of what it held, and says how many tokens the answer may be: `undefined` without a bound; or what that is too much for. */
	reserve(need: TokenNeed): ReservedTokens;
	/** It has used, or is about to use, so many tokens in all. Holds them, and some more where there are; or what that is too much for. */
	grow(tokens: number): KeyRefusal | undefined;
	/** What it has used so far; the last word counts. Without one, or with one that cannot be true, its need of input does. */
	settle(used: {readonly inputTokens: number; readonly outputTokens: number}): void;
	[Symbol.dispose](): void;
};

/** What a request needs of the budget of its key. Tokens. */
export type TokenNeed = {
	/** What it uses in any case: all that the model is told, and what it used before. */
	readonly input: number;
	/** The most that the answer may be, where the client or the model has such a bound. */
	readonly most?: number;
	/** The answer comes in one piece: while it grows nothing can be asked for, so its bound is held from the beginning. */
	readonly isWhole: boolean;
};

export type ReservedTokens = {readonly bound: number | undefined} | {readonly refusal: KeyRefusal};

export type KeyRefusal =
	| KeyLimited
	/** `used` of `most` tokens, `held` for other requests under way, and this one needs at least `asked`; the budget begins anew in so many milliseconds. */
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
	/** Lets a request begin, which holds of the budget what it needs until it ends. @throws SvcError `journal_unavailable` */
	admit(id: string, need: TokenNeed): Promise<Admission>;
	/** Requests left to a key in its minute; `undefined` where it has no such bound. */
	left(id: string): ReturnType<KeyLimits['left']> | undefined;
	/** Writes what is not written. */
	[Symbol.asyncDispose](): Promise<void>;
};
