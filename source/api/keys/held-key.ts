import type {KeyRecord} from '../../core/api-keys/api-key.ts';
import {periodEnd} from '../../core/api-keys/key-periods.ts';
import type {Clock} from '../../core/clock.ts';
import {isTokenCount} from '../../core/usage.ts';
import type {KeyPermit, KeyRefusal} from './desk.ts';
import {createKeyLimits, type KeyLimits} from './key-limits.ts';
import type {KeyUsages} from './key-usage.ts';

/** What the desk holds of one key. */
export type HeldKey = {
	record: KeyRecord;
	readonly limits: KeyLimits;
	/** Estimated tokens of requests under way. */
	reserved: number;
	readonly permits: Set<AbortController>;
};

/** What is counted, and when. */
type Counted = {readonly clock: Clock; readonly usages: KeyUsages};

export const holdKey = (record: KeyRecord, clock: Clock): HeldKey => ({
	record,
	limits: createKeyLimits(clock),
	reserved: 0,
	permits: new Set(),
});

/** Why a request that may use `tokens` is more than is left of the budget of a key, with what is under way. */
export function aboveBudget(
	one: HeldKey,
	tokens: number,
	{clock, usages}: Counted,
): KeyRefusal | undefined {
	const {id, budget} = one.record;
	if (!budget) {
		return undefined;
	}

	const now = clock.now();
	const used = usages.tokensOf(id, now, budget.per);
	const isAbove = used >= budget.tokens || used + one.reserved + tokens > budget.tokens;
	return isAbove
		? {
				kind: 'budget',
				used,
				held: one.reserved,
				asked: tokens,
				most: budget.tokens,
				retryMs: periodEnd(now, budget.per) - now,
			}
		: undefined;
}

/** Lets a request of a key begin, which counts `tokens` until it says what it used. */
export function permitOf(one: HeldKey, tokens: number, counted: Counted): KeyPermit {
	const {clock, usages} = counted;
	const ending = new AbortController();
	let reserved = tokens;
	one.permits.add(ending);
	one.reserved += tokens;
	// Whoever is about to revoke a key must not read that nobody uses it while a stream of it goes on.
	const startedAt = clock.now();
	one.record = {...one.record, lastUsedAt: startedAt};
	usages.begin(one.record.id, startedAt);
	const estimated = {inputTokens: tokens, outputTokens: 0};
	let used: Parameters<KeyPermit['settle']>[0] = estimated;
	let isOpen = true;
	return {
		signal: ending.signal,
		hold(more) {
			const refusal = more > 0 ? aboveBudget(one, more, counted) : undefined;
			if (!refusal) {
				reserved += more;
				one.reserved += more;
			}

			return refusal;
		},
		settle(settled) {
			const {inputTokens, outputTokens} = settled;
			used = isTokenCount(inputTokens) && isTokenCount(outputTokens) ? settled : estimated;
		},
		[Symbol.dispose]() {
			if (!isOpen) {
				return;
			}

			isOpen = false;
			one.permits.delete(ending);
			one.reserved -= reserved;
			one.limits.release();
			const at = clock.now();
			one.record = {...one.record, lastUsedAt: at};
			usages.add(one.record.id, at, {requests: 1, ...used});
		},
	};
}
