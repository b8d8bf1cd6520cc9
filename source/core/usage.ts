import {grouped} from './names.ts';
import type {Shape} from './schemas/parts.ts';
import type {usageSchema} from './schemas/run.ts';

/** What a run has used of a model, over all its tries. */
export type Usage = Shape<typeof usageSchema>;

/** What a million tokens of a model cost, in and out. */
export type ModelPrice = {
	readonly input: number;
	readonly output: number;
	readonly currency: string;
};

const million = 1_000_000;

/** The most tokens that one answer can have used. A server that counts more is wrong: two such counts come to more than a number or a column of the journal holds. */
const maxCount = 2 ** 31;

/** Whether a server's count of tokens can be true. Where it cannot, an estimate counts. */
export const isTokenCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxCount;

/** What a server counted; an estimate where it counted nothing, or more than can be. */
export const countedOr = (count: number | undefined, estimate: () => number): number =>
	isTokenCount(count) && count > 0 ? count : estimate();

/** Longer tokens than 32 bytes do not make up an answer: a server that counts so few counts something else, such as its first piece. */
const leastPart = 1 / 8;

/** What a server counted of an answer that it said, of which the estimate is as given; the estimate where the count cannot be true. */
export const spokenOr = (count: number | undefined, estimate: number): number =>
	countedOr(
		count !== undefined && count < estimate * leastPart ? undefined : count,
		() => estimate,
	);

/** A sum of counts that can be stored and sent: at most 2^53 − 1. Journals of before may hold more than that in one count. */
export const sumOfCounts = (...counts: readonly number[]): number =>
	Math.min(
		counts.reduce((sum, count) => sum + count, 0),
		Number.MAX_SAFE_INTEGER,
	);

/** What one call of a model used, with its cost where the price is known. */
export const usageOf = (
	inputTokens: number,
	outputTokens: number,
	price: ModelPrice | undefined,
): Usage => ({
	inputTokens,
	outputTokens,
	...(price && {
		cost: {
			amount: (inputTokens * price.input + outputTokens * price.output) / million,
			currency: price.currency,
		},
	}),
});

/** Both together. What part of it cost is told only where all of it is known, in one currency: too little would be a lie. */
export function addUsage(one: Usage | undefined, other: Usage): Usage {
	if (!one) {
		return other;
	}

	const {cost} = other;
	return {
		inputTokens: sumOfCounts(one.inputTokens, other.inputTokens),
		outputTokens: sumOfCounts(one.outputTokens, other.outputTokens),
		...(cost &&
			one.cost?.currency === cost.currency && {
				cost: {amount: one.cost.amount + cost.amount, currency: cost.currency},
			}),
	};
}

const signs: Readonly<Record<string, string>> = {USD: '$', EUR: '€', GBP: '£'};

/** `1,204 in · 380 out`. */
export const tokenWords = ({
	inputTokens,
	outputTokens,
}: Pick<Usage, 'inputTokens' | 'outputTokens'>): string =>
	`${grouped(inputTokens)} in · ${grouped(outputTokens)} out`;

/** `1,204 in · 380 out · $0.004`; without a known cost the tokens alone. */
export function usageWords({cost, ...counts}: Usage): string {
	const tokens = tokenWords(counts);
	return cost ? `${tokens} · ${costWords(cost)}` : tokens;
}

const smallest = 0.000_001;

/** Small sums have two digits that say something: `$0.0042`, `$1.20`, `3,210.10 CHF`. */
export function costWords({amount, currency}: NonNullable<Usage['cost']>): string {
	const sign = Object.hasOwn(signs, currency) ? signs[currency] : undefined;
	const isTiny = amount > 0 && amount < smallest;
	const number = digitsOf(isTiny ? smallest : amount);
	const words = sign === undefined ? `${number} ${currency}` : `${sign}${number}`;
	return isTiny ? `<${words}` : words;
}

const digitsOf = (amount: number): string =>
	amount === 0 || amount >= 0.1
		? amount.toFixed(2).replaceAll(/\B(?=(?:\d{3})+\.)/g, ',')
		: String(Number(amount.toFixed(Math.min(6, 1 - Math.floor(Math.log10(amount))))));
