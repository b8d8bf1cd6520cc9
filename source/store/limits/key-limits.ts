import type {ApiKey} from '../../core/api-key.ts';
import type {Clock} from '../../core/clock.ts';
import type {KeyLimited, KeyLimits} from './port.ts';

const minuteMs = 60_000;

/** Suggested delay before a retry, milliseconds: nobody knows when a request ends. */
const parallelRetryMs = 1000;

/** A token bucket of requests: `spent` are missing at the time `countedAt`. */
type Bucket = {spent: number; countedAt: number};

/** Refills a bucket up to the time `now`. */
export function refillBucket(bucket: Bucket, rpm: number, now: number): void {
	const filled = (Math.max(0, now - bucket.countedAt) * rpm) / minuteMs;
	bucket.spent = Math.max(0, bucket.spent - filled);
	bucket.countedAt = now;
}

/** The requests left in a refilled bucket. */
export const leftIn = ({spent}: Bucket, rpm: number): ReturnType<KeyLimits['left']> => ({
	requests: Math.max(0, Math.floor(rpm - spent)),
	resetMs: Math.ceil((spent * minuteMs) / rpm),
});

/** Takes one request from the bucket. Takes nothing when as many requests as allowed are `running`, or the bucket is empty. */
function takeRequest(
	bucket: Bucket,
	{rpm, parallel}: Pick<ApiKey, 'rpm' | 'parallel'>,
	{running, now}: {readonly running: number; readonly now: number},
): KeyLimited | undefined {
	if (parallel !== undefined && running >= parallel) {
		return {kind: 'parallel', most: parallel, retryMs: parallelRetryMs};
	}

	if (rpm !== undefined) {
		refillBucket(bucket, rpm, now);
		if (bucket.spent > rpm - 1) {
			const retryMs = Math.ceil(((bucket.spent - (rpm - 1)) * minuteMs) / rpm);
			return {kind: 'rpm', most: rpm, retryMs};
		}

		bucket.spent += 1;
	}

	return undefined;
}

/** The current use of one key. */
export type KeyInUse = Bucket & {running: number; held: number};

type Taking = Parameters<KeyLimits['take']>;

/** Admits a request, unless `claim` or the limits of the key deny it. `elsewhere`: number of requests running at other gateways. */
export function letIn(
	use: KeyInUse,
	{key, claim = () => 0}: {readonly key: Taking[1]; readonly claim: Taking[2]},
	{elsewhere, now}: {readonly elsewhere: number; readonly now: number},
): Awaited<ReturnType<KeyLimits['take']>> {
	const claimed = claim();
	if (claimed === undefined) {
		return {kind: 'denied'};
	}

	const limited = takeRequest(use, key, {running: use.running + elsewhere, now});
	if (limited) {
		return limited;
	}

	use.running += 1;
	use.held += claimed;
	return {kind: 'taken'};
}

/** `KeyLimits` of a sole process, in memory, by the monotonic clock: per key a token bucket of `rpm` requests. Allows a burst of all of them, then one every 60/`rpm` seconds. */
export function createKeyLimits(clock: Clock): KeyLimits {
	const uses = new Map<string, KeyInUse>();
	const entryOf = (id: string): KeyInUse => {
		const use = uses.get(id) ?? {spent: 0, countedAt: clock.monotonic(), running: 0, held: 0};
		uses.set(id, use);
		return use;
	};

	return {
		take: async (id, key, claim) =>
			letIn(entryOf(id), {key, claim}, {elsewhere: 0, now: clock.monotonic()}),
		release(id) {
			const use = uses.get(id);
			if (use) {
				use.running -= 1;
			}
		},
		left(id, rpm) {
			const use = entryOf(id);
			refillBucket(use, rpm, clock.monotonic());
			return leftIn(use, rpm);
		},
		held: id => uses.get(id)?.held ?? 0,
		hold(id, tokens) {
			const use = uses.get(id);
			if (use) {
				use.held += tokens;
			}
		},
		forget: id => uses.delete(id),
	};
}
