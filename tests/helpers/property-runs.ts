/**
 * How often a property is tried: a quarter of `thorough` in `npm test`, all of it in `npm run soak -- properties`. Each try has a seed of its
 * own, so what one day's runs miss another day's find.
 */
export const propertyRuns = (thorough: number): number =>
	process.env['PROPERTY_RUNS'] === 'thorough' ? thorough : Math.ceil(thorough / 4);
