import type {Clock} from '../core/clock.ts';

/**
 * Time that does not jump: a wall clock that was read once, and the monotonic clock from there. Whoever begins to wait notes the `offset` of that moment, and asks for `time`
 * by it, so that what begins later shows the wall clock as it is then.
 */
export type SteadyClock = {
	/** What the wall clock is ahead of the monotonic one now, milliseconds. */
	offset(): number;
	/** Whole milliseconds since 1970. */
	time(offset: number): number;
};

export const createSteadyClock = (clock: Clock): SteadyClock => ({
	offset: () => clock.now() - clock.monotonic(),
	time: offset => Math.round(offset + clock.monotonic()),
});
