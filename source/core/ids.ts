import type {Clock} from './clock.ts';

const perMillisecond = 2048;

/** The part of each millisecond's identifiers that a gateway may use: number `slot` (from 0) of `of` equal parts. */
export type IdShare = {readonly slot: number; readonly of: number};

const whole: IdShare = {slot: 0, of: 1};

/**
 * Creates delivery identifiers: milliseconds times 2,048 plus a counter, in base 36. They increase as numbers and (same length until 2109) as text, also across restarts
 * if `last` is the greatest on disk. When a millisecond is used up, the next one is used. Gateways on one store avoid collisions by disjoint shares of the 2,048; `share` is
 * called for each identifier, since a gateway may learn its share late. A cursor (`before`) covers all deliveries that existed when its page was read; another gateway may add
 * older identifiers later, since clocks differ, and a delivery may be received up to `lateMs` after its identifier was made.
 */
export function createIdSource(clock: Clock, last = '', share = () => whole): () => string {
	let previous = last === '' ? 0 : numberOfId(last);
	return () => {
		const {slot, of} = share();
		const size = Math.trunc(perMillisecond / of);
		const firstOf = (ms: number) => numberOfTime(ms) + slot * size;
		const now = Math.trunc(clock.now());
		const next = Math.max(firstOf(now), previous + 1);
		const ms = timeOfNumber(next);
		// The share may have changed, or `last` may come from another gateway.
		const isPast = next >= firstOf(ms) + size;
		previous = Math.max(next, firstOf(isPast ? ms + 1 : ms));
		return previous.toString(36);
	};
}

/** The number of an identifier; `NaN` for any other text. */
export const numberOfId = (id: string): number =>
	/^[0-9a-z]{1,11}$/.test(id) ? Number.parseInt(id, 36) : Number.NaN;

/** Longest time between the time in an identifier and the receipt of its delivery, milliseconds: the clock may be set in between. */
export const lateMs = 60_000;

/** The smallest number of identifiers created at or after `ms`, milliseconds since 1970. */
export const numberOfTime = (ms: number): number => ms * perMillisecond;

/** Latest possible creation time of an identifier, milliseconds since 1970: a busy gateway uses numbers of the next millisecond in advance. */
export const timeOfNumber = (value: number): number => Math.trunc(value / perMillisecond);

/** The identifier of a number. */
export const idOfNumber = (value: number): string => value.toString(36);
