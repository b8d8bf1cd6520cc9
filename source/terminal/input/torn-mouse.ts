import type {Clock} from '../../core/clock.ts';
import {mouseReportLength} from './split-input.ts';

/** Keeps the rest of a mouse report that was given up a moment ago from being typed. */
export type TornMouse = {
	giveUp(raw: string): void;
	/** How many UTF-16 units at the beginning of `text` are that rest. */
	restLength(text: string): number;
	/** Forgets it. */
	clear(): void;
};

const restMs = 1000;

export function createTornMouse(clock: Clock): TornMouse {
	let torn: {readonly raw: string; readonly t: number} | undefined;
	return {
		giveUp(raw) {
			torn = {raw, t: clock.monotonic()};
		},
		restLength(text) {
			const taken = torn;
			torn = undefined;
			return taken === undefined || clock.monotonic() - taken.t > restMs
				? 0
				: Math.max(0, mouseReportLength(taken.raw + text) - taken.raw.length);
		},
		clear() {
			torn = undefined;
		},
	};
}
