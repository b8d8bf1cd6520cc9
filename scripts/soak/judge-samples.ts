/** What a process was like at one moment. */
export type Sample = {
	readonly seconds: number;
	readonly rssMb: number;
	/** Of the status row, milliseconds; absent while it has none. */
	readonly loopMs?: number;
	readonly descriptors: number;
	readonly children: number;
};

export type Judgement = {
	/** After the warm-up; absent when there are too few samples to say. */
	readonly rssMbPerTenMinutes?: number;
	readonly rssMbMax: number;
	readonly loopMsMax: number;
	readonly descriptors: readonly [first: number, last: number];
	readonly childrenMax: number;
	readonly wrong: readonly string[];
};

const warmUpSeconds = 600;
const leastSamples = 12;
const maxRssMb = 200;
const maxSlopeMb = 1;
const tenMinutes = 600;

/** Whether a process that ran for long stayed as large as it was: its memory at most 200 MB, and growing by at most 1 MB in ten minutes once it has run for ten. */
export function judgeSamples(samples: readonly Sample[]): Judgement {
	const later = samples.filter(({seconds}) => seconds >= warmUpSeconds);
	const slope = later.length < leastSamples ? undefined : slopeOf(later) * tenMinutes;
	const rssMbMax = Math.max(...samples.map(({rssMb}) => rssMb));
	return {
		...(slope !== undefined && {rssMbPerTenMinutes: Math.round(slope * 100) / 100}),
		rssMbMax,
		loopMsMax: Math.max(...samples.map(({loopMs = 0}) => loopMs)),
		descriptors: [samples[0]?.descriptors ?? 0, samples.at(-1)?.descriptors ?? 0],
		childrenMax: Math.max(...samples.map(({children}) => children)),
		wrong: [
			...(samples.length === 0 || Number.isNaN(rssMbMax) ? ['nothing could be measured'] : []),
			...(rssMbMax > maxRssMb ? [`it took ${rssMbMax} MB of memory, more than ${maxRssMb}`] : []),
			...(slope !== undefined && slope > maxSlopeMb
				? [`its memory grew by ${slope.toFixed(2)} MB in ten minutes, more than ${maxSlopeMb}`]
				: []),
		],
	};
}

/** Megabytes a second: the line with the least squares. */
function slopeOf(samples: readonly Sample[]): number {
	const mean = (values: readonly number[]) =>
		values.reduce((sum, value) => sum + value, 0) / values.length;
	const x = mean(samples.map(({seconds}) => seconds));
	const y = mean(samples.map(({rssMb}) => rssMb));
	const above = samples.reduce((sum, {seconds, rssMb}) => sum + (seconds - x) * (rssMb - y), 0);
	const below = samples.reduce((sum, {seconds}) => sum + (seconds - x) ** 2, 0);
	return below === 0 ? 0 : above / below;
}
