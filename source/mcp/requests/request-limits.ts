import type {Clock} from '../../core/clock.ts';
import type {World} from '../../core/world.ts';
import {inLastMinute} from './judge-sampling.ts';

/**
 * When a server recently asked a model or a person, for the limit per minute. One object per server and kind; it outlives connections, because a server could end
 * those to reset the limit.
 */
export type RequestWindow = ReturnType<typeof createRequestWindow>;

export function createRequestWindow(clock: Clock) {
	let times: readonly number[] = [];
	const recent = () => {
		times = inLastMinute(times, clock.monotonic());
		return times;
	};

	return {
		/** The times within the last minute, in milliseconds of `clock.monotonic()`. */
		recent,
		/** Records a request made now. */
		add(): void {
			times = [...recent(), clock.monotonic()];
		},
	};
}

/** Refusals of one server are logged at this interval, so that it cannot flood the log. */
const pauseMs = 60_000;

/** Logs refused requests of a server: the first at once, then at most one line a minute with the number left out. */
export function createRefusalLog(
	world: Pick<World, 'clock' | 'log'> & {readonly server: string},
): (text: string) => void {
	const {clock, log, server} = world;
	let saidAt: number | undefined;
	let untold = 0;
	return text => {
		const now = clock.monotonic();
		if (saidAt !== undefined && now - saidAt < pauseMs) {
			untold++;
			return;
		}

		log.warn(text, {server, untold: untold > 0 ? untold : undefined});
		saidAt = now;
		untold = 0;
	};
}
