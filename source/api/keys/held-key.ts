import {isDeepStrictEqual} from 'node:util';
import {type KeyRecord, periodEnd} from '../../core/api-key.ts';
import type {Clock} from '../../core/clock.ts';
import {isTokenCount} from '../../core/run.ts';
import type {KeyLimits} from '../../store/limits/port.ts';
import {keyError} from '../http/api-error.ts';
import type {Admission, KeyPermit, KeyRefusal, TokenNeed} from './desk.ts';
import type {KeyUsages} from './key-usage.ts';

/** A key in the desk's memory. */
export type HeldKey = {
	record: KeyRecord;
	readonly permits: Set<AbortController>;
};

/** What admission counts by. */
type Counted = {readonly clock: Clock; readonly usages: KeyUsages; readonly limits: KeyLimits};

/** Tokens expected of the longest answer when there is no limit. Limits from here on are not sent to the server: it refuses one above the model's own. */
const longestUsual = 16_384;

/** How much of `left` is held ahead of a growing answer: little, so that a dozen answers can go on concurrently until the budget is exhausted. */
const sliceOf = (left: number): number => Math.min(left, 4096, Math.max(16, Math.ceil(left / 16)));

/** How much of `left` is held for an unstreamed answer when the request has no limit. */
const shareOf = (left: number): number =>
	Math.min(left, longestUsual, Math.max(256, Math.ceil(left / 4)));

export const holdKey = (record: KeyRecord): HeldKey => ({record, permits: new Set()});

/** Ends the requests under way of a revoked key. */
export function endRequests({permits}: HeldKey): void {
	for (const permit of permits) {
		permit.abort(keyError('revoked'));
	}
}

/** Whether two records are equal except for the last use, which gateways exchange separately. */
export const isSameKey = (one: KeyRecord, other: KeyRecord): boolean =>
	isDeepStrictEqual({...one, lastUsedAt: 0}, {...other, lastUsedAt: 0});

/** What is left of a key's budget for a request that holds `own` of it (Infinity without a budget); with a refusal if that is less than `asked`. */
function leftOf(
	one: HeldKey,
	{asked, own = 0}: {readonly asked: number; readonly own?: number},
	{clock, usages, limits}: Counted,
): {readonly left: number; readonly refusal?: KeyRefusal} {
	const {id, budget} = one.record;
	if (!budget) {
		return {left: Infinity};
	}

	const now = clock.now();
	const used = usages.tokensOf(id, now, budget.per);
	const held = limits.held(id) - own;
	const left = budget.tokens - used - held;
	const retryMs = periodEnd(now, budget.per) - now;
	const refusal = {kind: 'budget', used, held, asked, most: budget.tokens, retryMs} as const;
	return asked <= left ? {left} : {left, refusal};
}

/** The least that a request uses: its input and one token of the answer. */
const leastOf = ({input}: TokenNeed): number => input + 1;

/** What a request that holds `own` tokens holds from now on, and the maximum tokens of its answer; or why the budget does not suffice. */
function claimOf(
	one: HeldKey,
	{need, own}: {readonly need: TokenNeed; readonly own: number},
	counted: Counted,
): Claim | {readonly refusal: KeyRefusal} {
	const {input, most, isWhole} = need;
	const {left, refusal} = leftOf(one, {asked: leastOf(need), own}, counted);
	if (refusal) {
		return {refusal};
	}

	if (left === Infinity) {
		return {tokens: 0, bound: most};
	}

	const room = left - input;
	const bound = Math.min(most ?? (isWhole ? shareOf(room) : room), room);
	return {
		tokens: input + (isWhole ? bound : sliceOf(bound)),
		bound: most === undefined && bound >= longestUsual ? undefined : bound,
	};
}

type Claim = {readonly tokens: number; readonly bound: number | undefined};

/** Admits a request of a key. @throws SvcError `journal_unavailable` */
export async function admit(one: HeldKey, need: TokenNeed, counted: Counted): Promise<Admission> {
	const {record} = one;
	const ending = new AbortController();
	// Registered before waiting: revoking the key meanwhile ends this request, too.
	one.permits.add(ending);
	let claim: Claim = {tokens: 0, bound: need.most};
	let refusal: KeyRefusal | undefined;
	const ask = () => {
		const asked = claimOf(one, {need, own: 0}, counted);
		refusal = 'refusal' in asked ? asked.refusal : undefined;
		claim = 'refusal' in asked ? claim : asked;
		return refusal ? undefined : claim.tokens;
	};

	let isAdmitted = false;
	try {
		const taken = await counted.limits.take(record.id, record, record.budget && ask);
		if (taken.kind === 'rpm' || taken.kind === 'parallel') {
			return {kind: 'refused', refusal: taken};
		}

		if (refusal) {
			return {kind: 'refused', refusal};
		}

		isAdmitted = true;
		return {kind: 'admitted', permit: permitOf(one, {need, ending, claim}, counted)};
	} finally {
		if (!isAdmitted) {
			one.permits.delete(ending);
		}
	}
}

function permitOf(
	one: HeldKey,
	{need, ending, claim}: {need: TokenNeed; ending: AbortController; claim: Claim},
	counted: Counted,
): KeyPermit {
	const {clock, usages, limits} = counted;
	let own = claim.tokens;
	const hold = (tokens: number) => {
		limits.hold(one.record.id, tokens - own);
		own = tokens;
	};

	// Recorded at the start: a person about to revoke a key must see that it is in use while a stream is going on.
	const startedAt = clock.now();
	one.record = {...one.record, lastUsedAt: startedAt};
	usages.begin(one.record.id, startedAt);
	const estimated = {inputTokens: need.input, outputTokens: 0};
	let used: Parameters<KeyPermit['settle']>[0] = estimated;
	let isOpen = true;
	return {
		signal: ending.signal,
		bound: claim.bound,
		reserve(asked) {
			const next = claimOf(one, {need: asked, own}, counted);
			if ('refusal' in next) {
				return next;
			}

			hold(next.tokens);
			return {bound: next.bound};
		},
		grow(tokens) {
			if (tokens <= own || !one.record.budget) {
				return undefined;
			}

			const {left, refusal} = leftOf(one, {asked: tokens, own}, counted);
			if (!refusal) {
				hold(tokens + sliceOf(left - tokens));
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
			hold(0);
			limits.release(one.record.id, used.inputTokens + used.outputTokens);
			const at = clock.now();
			one.record = {...one.record, lastUsedAt: at};
			usages.add(one.record.id, at, {requests: 1, ...used});
		},
	};
}
