export type MetricSample = {
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
};

export type Family = {
	readonly name: string;
	readonly help: string;
	readonly type: 'counter' | 'gauge';
};

/** One family in the Prometheus text format; label values are escaped. */
export const writeCounters = (
	{name, help, type}: Family,
	samples: readonly MetricSample[],
): string =>
	`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(sample => writeSample(name, sample)).join('')}`;

/** A histogram in the Prometheus text format. `counts` holds one number per bucket, not yet summed up. */
export function writeHistogram(
	{name, help}: Omit<Family, 'type'>,
	histogram: {
		readonly buckets: readonly number[];
		readonly counts: readonly number[];
		readonly sum: number;
		readonly count: number;
	},
): string {
	let below = 0;
	const lines = histogram.buckets.map((bound, index) => {
		below += histogram.counts[index] ?? 0;
		return writeSample(`${name}_bucket`, {labels: {le: String(bound)}, value: below});
	});
	lines.push(
		writeSample(`${name}_bucket`, {labels: {le: '+Inf'}, value: histogram.count}),
		writeSample(`${name}_sum`, {labels: {}, value: histogram.sum}),
		writeSample(`${name}_count`, {labels: {}, value: histogram.count}),
	);
	return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`;
}

function writeSample(name: string, {labels, value}: MetricSample): string {
	const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
	return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

const escapeLabel = (text: string) =>
	text
		.replaceAll('\\', '\\\\')
		.replaceAll('"', String.raw`\"`)
		.replaceAll('\n', String.raw`\n`);
