import {budgetPeriods, type BudgetPeriod, type KeyBudget} from './api-key.ts';

/** Longest name of a key, in characters. */
export const maxKeyNameLength = 64;

const isPeriod = (text: string): text is BudgetPeriod =>
	budgetPeriods.some(period => period === text);

/** `100000/day`, `/week` or `/month` as a budget, else what it should be. */
export function readBudget(text: string): KeyBudget | string {
	const [, tokens = '', per = ''] = /^([1-9]\d{0,11})\/([a-z]+)$/.exec(text.trim()) ?? [];
	return isPeriod(per)
		? {tokens: Number(tokens), per}
		: `Use tokens and ${budgetPeriods.join(', ')}, as 100000/day.`;
}

/** A time that is the same on every machine: with its offset. */
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** `2026-12-31` (the end of that day by UTC), or a time with its offset, in milliseconds since 1970; else what it should be, or that it has passed at `now`. */
export function readExpiry(written: string, now: number): number | string {
	const text = written.trim();
	const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T24:00:00Z`) : Number.NaN;
	const isDay = !Number.isNaN(day) && new Date(day - 1).toISOString().startsWith(text);
	const at = isDay ? day : moment.test(text) ? Date.parse(text) : Number.NaN;
	if (Number.isNaN(at)) {
		return 'Use a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z.';
	}

	return at <= now ? 'That has passed.' : at;
}
