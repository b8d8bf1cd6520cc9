import type {ApiKey} from '../../core/api-key.ts';
import type {Clock} from '../../core/clock.ts';
import type {KeyLimited, KeyLimits} from './port.ts';

const minuteMs = 60_000;

/** A place becomes free when a request ends, at an unknown time. */
const parallelRetryMs = 1000;

/** A bucket of requests that fills evenly: the missing requests, at the time `countedAt`. */
type Bucket = {spent: number; countedAt: number};

/** Lets a bucket fill until `now`. */
export function refillBucket(bucket: Bucket, rpm: number, now: number): void {
	const filled = (Math.max(0, now - bucket.countedAt) * rpm) / minuteMs;
	bucket.spent = Math.max(0, bucket.spent - filled);
	bucket.countedAt = now;
}

/** The requests left in a bucket that was filled. */
export const leftIn = ({spent}: Bucket, rpm: number): ReturnType<KeyLimits['left']> => ({
	requests: Math.max(0, Math.floor(rpm - spent)),
	resetMs: Math.ceil((spent * minuteMs) / rpm),
});

/** Takes one request of the minute. Takes nothing when `running` requests are as many as allowed, or the minute has none left. */
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

/** Lets a request in, unless `claim` denies it, or the limits of the key do; `elsewhere`: requests that run at other gateways. */
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

/** `KeyLimits` of the only process, in memory, by the monotonic clock: for each key a bucket of `rpm` requests that fills evenly. A burst of all of them is allowed, and then one each 60/`rpm` seconds. */
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
