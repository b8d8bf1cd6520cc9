import {randomInt} from 'node:crypto';

/** What all draws of a run follow from. Its end prints it; `SEED=… vitest run FILE` draws the same again. */
export const runSeed = Number(process.env['SEED'] ?? randomInt(2 ** 31));

/** A small generator of numbers in [0, 1): the same seed, the same numbers (mulberry32). */
export function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d_2b_79_f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
