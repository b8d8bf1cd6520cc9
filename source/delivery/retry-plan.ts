/** How failed deliveries are tried again. */
export type RetryPlan = {
	/** Tries in all; 3 when absent. */
	readonly tries?: number;
	/** Milliseconds from the first try to the last; 10 minutes when absent. */
	readonly spanMs?: number;
	/** A number from 0 to below 1. */
	readonly random: () => number;
};

const growth = 4;
const minDelayMs = 1000;

/** Waits are shortened by up to this part, so that runs that failed together do not come back together. */
const jitter = 0.2;

/**
 * Milliseconds to wait after try number `attempt` (counted from 1) has failed; `undefined` when that was the last. Each wait is four times the
 * one before, and all of them fill the span: about 2 and 8 minutes for 3 tries.
 *
 * @see manual/delivery.md#tries
 */
export function nextTry(
	attempt: number,
	{tries = 3, spanMs = 600_000, random}: RetryPlan,
): number | undefined {
	if (attempt >= tries) {
		return undefined;
	}

	// 1 + 4 + 16 + …
	const shares = (growth ** (tries - 1) - 1) / (growth - 1);
	const waitMs = (spanMs * growth ** (Math.max(attempt, 1) - 1)) / shares;
	return Math.max(minDelayMs, Math.round(waitMs * (1 - jitter * random())));
}
