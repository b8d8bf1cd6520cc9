import type {ApiKey, KeyDay, KeyFacts, KeyGrant} from '../../core/api-key.ts';
import type {MintedKey} from '../../nouns/key/key-acts.ts';
import type {KeyLimited, KeyLimits} from '../../store/limits/port.ts';

/** One request of a key, from its admission to its end. */
export type KeyPermit = {
	/** Aborts when the key is revoked. */
	readonly signal: AbortSignal;
	/** The maximum tokens of the answer, by what the request needs; `undefined` for no limit. */
	readonly bound: number | undefined;
	/** Replaces what the request holds of the budget; returns the maximum tokens of the answer (`undefined` for no limit), or why the budget does not suffice. */
	reserve(need: TokenNeed): ReservedTokens;
	/** Call when the request has used, or is about to use, this many tokens in total. Holds them, and some more if available; returns why the budget does not suffice. */
	grow(tokens: number): KeyRefusal | undefined;
	/** Sets what the request has used so far; the last call counts. Without one, or with impossible numbers, its estimated input counts. */
	settle(used: {readonly inputTokens: number; readonly outputTokens: number}): void;
	[Symbol.dispose](): void;
};

/** What a request needs from its key's budget, in tokens. */
export type TokenNeed = {
	/** Tokens it uses in any case: everything sent to the model, and what it used before. */
	readonly input: number;
	/** The maximum tokens of the answer, if the client or the model sets one. */
	readonly most?: number;
	/** The answer is not streamed: it cannot be interrupted when the budget is exhausted, so its limit is held from the beginning. */
	readonly isWhole: boolean;
};

export type ReservedTokens = {readonly bound: number | undefined} | {readonly refusal: KeyRefusal};

export type KeyRefusal =
	| KeyLimited
	/**
	 * `used` of `most` tokens are used, `held` are reserved for other requests under way, and this one needs at least `asked`; a new budget period begins in `retryMs`
	 * milliseconds.
	 */
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

/** Why a key is not valid. */
export type KeyProblem = 'malformed' | 'unknown' | 'revoked' | 'expired';

/** The keys of one gateway: authentication, limits and usage. */
export type KeyDesk = {
	/** All keys, oldest first, including those that have ended. */
	list(): readonly ApiKey[];
	/** @throws SvcError `keys_full`, `journal_unavailable` */
	create(grant: KeyGrant, prefix: string): Promise<MintedKey>;
	/** Creates a live key without limits, unless there has ever been a key. @throws SvcError `journal_unavailable` */
	createFirst(prefix: string): Promise<MintedKey | undefined>;
	/** A key's use on each of the last 40 days, oldest first. `undefined` when there is no such key. */
	days(id: string): readonly KeyDay[] | undefined;
	/** Creates a new secret with the same identifier; the previous one stays valid for `overlapMs`. `undefined` when there is no such key, or it has ended. */
	rotate(
		id: string,
		options: {readonly overlapMs: number; readonly prefix: string},
	): Promise<MintedKey | undefined>;
	/** Revokes both secrets and ends the requests under way. `undefined` when there is no such key; an already revoked one is unchanged. */
	revoke(id: string): Promise<ApiKey | undefined>;
	/** Finds the valid key of a secret. Compares digests, so that its timing reveals nothing. */
	authenticate(secret: string): {readonly key: KeyFacts} | {readonly problem: KeyProblem};
	/** Admits a request, which holds what it needs of the budget until it ends. @throws SvcError `journal_unavailable` */
	admit(id: string, need: TokenNeed): Promise<Admission>;
	/** Requests left to a key in the minute; `undefined` when it has no rate limit. */
	left(id: string): ReturnType<KeyLimits['left']> | undefined;
	/** Writes unwritten usage. */
	[Symbol.asyncDispose](): Promise<void>;
};
