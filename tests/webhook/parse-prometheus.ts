/** One family of a Prometheus text. */
export type MetricFamily = {
	readonly type: string;
	readonly help: string | undefined;
	readonly samples: readonly MetricSample[];
};

export type MetricSample = {
	/** With `_bucket`, `_sum` and `_count` for a histogram. */
	readonly name: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
};

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;

const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

const types: ReadonlySet<string> = new Set(['counter', 'gauge', 'histogram']);

/**
 * Reads Prometheus text (0.0.4) more strictly than Prometheus does: every family has a type before its samples, its samples stand together, no series
 * comes twice, counters end in `_total`, histograms are cumulative and complete.
 *
 * @throws Error that says which line is wrong.
 */
export function parsePrometheus(text: string): ReadonlyMap<string, MetricFamily> {
	if (!text.endsWith('\n')) {
		throw new Error('The text does not end in a line feed');
	}

	const families = new Map<
		string,
		{type: string; help: string | undefined; samples: MetricSample[]}
	>();
	const helps = new Map<string, string>();
	const series = new Set<string>();
	let current = '';
	for (const line of text.slice(0, -1).split('\n')) {
		const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
		if (kind === 'HELP') {
			demand(metricName.test(name) && !helps.has(name) && !families.has(name), line);
			helps.set(name, rest);
		} else if (kind === 'TYPE') {
			demand(metricName.test(name) && types.has(rest) && !families.has(name), line);
			demand(rest !== 'counter' || name.endsWith('_total'), line);
			families.set(name, {type: rest, help: helps.get(name), samples: []});
			current = name;
		} else {
			const sample = parseSample(line);
			const family = families.get(current);
			demand(family !== undefined && namesOf(current, family.type).includes(sample.name), line);
			const identity = JSON.stringify([
				sample.name,
				Object.entries(sample.labels).toSorted(([left], [right]) => (left < right ? -1 : 1)),
			]);
			demand(!series.has(identity), line);
			series.add(identity);
			family?.samples.push(sample);
		}
	}

	for (const [name, {type, samples}] of families) {
		if (type === 'histogram') {
			checkHistogram(name, samples);
		}
	}

	return families;
}

function demand(isRight: boolean, line: string): void {
	if (!isRight) {
		throw new Error(`This line is wrong: ${line}`);
	}
}

const namesOf = (family: string, type: string): readonly string[] =>
	type === 'histogram' ? [`${family}_bucket`, `${family}_sum`, `${family}_count`] : [family];

function parseSample(line: string): MetricSample {
	const [, name = '', pairs = '', value = ''] = sampleLine.exec(line) ?? [];
	demand(name !== '' && (value === '+Inf' || /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(value)), line);
	const labels: Record<string, string> = {};
	for (let from = 0; from < pairs.length; from = labelPair.lastIndex) {
		labelPair.lastIndex = from;
		const [, label = '', text = ''] = labelPair.exec(pairs) ?? [];
		demand(label !== '' && !Object.hasOwn(labels, label), line);
		labels[label] = text.replaceAll(/\\(.)/g, (_, character: string) =>
			character === 'n' ? '\n' : character,
		);
	}

	return {name, labels, value: Number(value)};
}

function checkHistogram(name: string, samples: readonly MetricSample[]): void {
	const buckets = samples.filter(sample => sample.name === `${name}_bucket`);
	const bounds = buckets.map(({labels}) =>
		labels['le'] === '+Inf' ? Infinity : Number(labels['le']),
	);
	const values = buckets.map(({value}) => value);
	const count = samples.find(sample => sample.name === `${name}_count`)?.value;
	const isSorted = (list: readonly number[]) =>
		list.every((value, index) => index === 0 || value >= (list[index - 1] ?? 0));
	demand(
		isSorted(bounds) &&
			isSorted(values) &&
			bounds.at(-1) === Infinity &&
			values.at(-1) === count &&
			samples.some(sample => sample.name === `${name}_sum`),
		name,
	);
}
