import type {Clock} from '../../core/clock.ts';
import {inLastMinute} from './judge-sampling.ts';

/** When a server asked our model, for its limit of a minute. One for each server: it outlives connections, which a server can end as often as it likes. */
export type SamplingTimes = {
	/** Those of the last minute, milliseconds of `clock.monotonic()`. */
	recent(): readonly number[];
	/** It asks now. */
	add(): void;
};

export function createSamplingTimes(clock: Clock): SamplingTimes {
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
