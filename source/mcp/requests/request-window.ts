import type {Clock} from '../../core/clock.ts';
import {inLastMinute} from './judge-sampling.ts';

/** When a server asked our model, or a person, for its limit of a minute. One for each server and each of the two: it outlives connections, which a server can end as often as it likes. */
export type RequestWindow = {
	/** Those of the last minute, milliseconds of `clock.monotonic()`. */
	recent(): readonly number[];
	/** It asks now. */
	add(): void;
};

export function createRequestWindow(clock: Clock): RequestWindow {
	let times: readonly number[] = [];
	const recent = () => {
		times = inLastMinute(times, clock.monotonic());
		return times;
	};

	return {
		recent,
		add() {
			times = [...recent(), clock.monotonic()];
		},
	};
}
