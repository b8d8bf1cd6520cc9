import {grouped} from './names.ts';
import type {Shape} from './schemas/parts.ts';
import type {usageSchema} from './schemas/run.ts';

/** Usage of the model by a run, over all its tries. */
export type Usage = Shape<typeof usageSchema>;

/** Price of a million input and output tokens of a model. */
export type ModelPrice = {
	readonly input: number;
	readonly output: number;
	readonly currency: string;
};

const million = 1_000_000;

/** Most tokens of one answer. Greater counts are wrong, and their sums could exceed the range of a number or a column of the journal. */
const maxCount = 2 ** 31;

/** Whether the token count of a server is plausible; otherwise an estimate is used. */
export const isTokenCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxCount;

/** The count of a server, or an estimate when it is missing, 0 or implausible. */
export const countedOr = (count: number | undefined, estimate: () => number): number =>
	isTokenCount(count) && count > 0 ? count : estimate();

/** A count below this share of the estimate is implausible (tokens of more than 32 bytes): the server counts something else, such as its first piece. */
const leastPart = 1 / 8;

/** The output tokens by the server, or the given estimate when its count is implausible. */
export const spokenOr = (count: number | undefined, estimate: number): number =>
	countedOr(
		count !== undefined && count < estimate * leastPart ? undefined : count,
		() => estimate,
	);

/** The sum of counts, at most 2^53 − 1 so that it can be stored and sent. Old journals may hold greater counts. */
export const sumOfCounts = (...counts: readonly number[]): number =>
	Math.min(
		counts.reduce((sum, count) => sum + count, 0),
		Number.MAX_SAFE_INTEGER,
	);

/** Usage of one call of a model, with its cost where the price is known. */
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

/** The sum of two usages. Its cost is present only when both costs are known in one currency: a partial cost would mislead. */
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

/** `1,204 in · 380 out · $0.004`; without a known cost only the tokens. */
export function usageWords({cost, ...counts}: Usage): string {
	const tokens = tokenWords(counts);
	return cost ? `${tokens} · ${costWords(cost)}` : tokens;
}

const smallest = 0.000_001;

/** An amount with two significant digits when small: `$0.0042`, `$1.20`, `3,210.10 CHF`. */
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
