import type {Clock} from '../core/clock.ts';

/** A function that gives milliseconds since 1970, whole ones: the wall clock as it stood at the call, and the monotonic clock from there. */
export function createSteadyClock(clock: Clock): () => number {
	const offset = clock.now() - clock.monotonic();
	return () => Math.floor(offset + clock.monotonic());
}
