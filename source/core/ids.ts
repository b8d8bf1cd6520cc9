import type {Clock} from './clock.ts';

const perMillisecond = 2048;

/** The part of the identifiers of a millisecond that a gateway makes: the `slot`th of `of` equal ones, from 0. */
export type IdShare = {readonly slot: number; readonly of: number};

const whole: IdShare = {slot: 0, of: 1};

/**
 * A source of delivery identifiers: milliseconds times 2,048 plus a counter, in base 36. Later identifiers of one source are greater as numbers and (same length until 2109) as text, also
 * across restarts when `last` is the greatest on disk. Sources of several gateways on one store are in order only as far as their clocks agree, and never make the same identifier when each has its `share` of the 2,048;
 * what is more in a millisecond is of the next one. It is asked for each identifier, since a gateway may learn its share late. So a cursor (`before`) leads back through all that was there when the page was read; what
 * another gateway wrote later may lie behind it, as a delivery may be received up to `lateMs` after its identifier was made.
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
		// Another share may have been given meanwhile, or another gateway may have made the last one.
		const isPast = next >= firstOf(ms) + size;
		previous = Math.max(next, firstOf(isPast ? ms + 1 : ms));
		return previous.toString(36);
	};
}

/** The number behind an identifier; `NaN` for text that is none. */
export const numberOfId = (id: string): number =>
	/^[0-9a-z]{1,11}$/.test(id) ? Number.parseInt(id, 36) : Number.NaN;

/** A delivery is received at most this much later than its identifier says, milliseconds: the clock may be set between. */
export const lateMs = 60_000;

/** The least number of an identifier that is made at `ms`, milliseconds since 1970, or later. */
export const numberOfTime = (ms: number): number => ms * perMillisecond;

/** When the number of an identifier was made, milliseconds since 1970, or earlier: numbers of a millisecond may run over. */
export const timeOfNumber = (value: number): number => Math.trunc(value / perMillisecond);

/** The identifier of a number. */
export const idOfNumber = (value: number): string => value.toString(36);
