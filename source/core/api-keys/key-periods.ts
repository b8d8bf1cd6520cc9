import type {BudgetPeriod} from './api-key.ts';

const dayMs = 86_400_000;

/** The day of a time by UTC, `2026-11-23`: usage is counted by it. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** When the period began in which `at` is, milliseconds since 1970, by UTC. Weeks begin on Monday. */
export function periodStart(at: number, per: BudgetPeriod): number {
	const date = new Date(at);
	const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
	switch (per) {
		case 'day': {
			return day;
		}

		case 'week': {
			return day - ((date.getUTCDay() + 6) % 7) * dayMs;
		}

		case 'month': {
			return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
		}
	}
}

/** When it ends and the next begins. */
export function periodEnd(at: number, per: BudgetPeriod): number {
	const start = periodStart(at, per);
	if (per === 'month') {
		const date = new Date(start);
		return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
	}

	return start + (per === 'week' ? 7 : 1) * dayMs;
}
