/** One of so many tries of a soak is made. */
const part = process.env['SHARE'] && !process.env['ALL'] ? 16 : 4;

/**
 * How often a property is tried: all of `thorough` in `npm run soak -- properties`, a quarter where all tests run, a sixteenth where a share of
 * the slow ones does. Each run draws anew, so what one day's runs miss another day's find.
 */
export const propertyRuns = (thorough: number): number =>
	process.env['PROPERTY_RUNS'] === 'thorough' ? thorough : Math.ceil(thorough / part);
