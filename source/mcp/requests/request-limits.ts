import type {Clock} from '../../core/clock.ts';
import type {World} from '../../core/world.ts';
import {inLastMinute} from './judge-sampling.ts';

/** When a server asked our model, or a person, for its limit of a minute. One for each server and each of the two: it outlives connections, which a server can end as often as it likes. */
export type RequestWindow = ReturnType<typeof createRequestWindow>;

export function createRequestWindow(clock: Clock) {
	let times: readonly number[] = [];
	const recent = () => {
		times = inLastMinute(times, clock.monotonic());
		return times;
	};

	return {
		/** Those of the last minute, milliseconds of `clock.monotonic()`. */
		recent,
		/** It asks now. */
		add(): void {
			times = [...recent(), clock.monotonic()];
		},
	};
}

/** A server that is refused all the time is told of once in so long: it must not push everything else out of the log. */
const pauseMs = 60_000;

/** Says in the log that a request of a server is refused: the first at once, then one line a minute at most, with how many were not told of. */
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
