import type {Delivery} from '../core/delivery.ts';

/** Upper bounds of the buckets for answer times, seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Most routes with labels of their own; further routes share one label. */
const maxRoutes = 1000;

const unknownRoute = '(unknown)';

const otherRoutes = '(other)';

/** The profile label beside the two route labels above. It is no valid name of a profile, so that real routes with these names stay distinct. */
const noProfile = '-';

/** Most answer times kept for the percentile of an interval. */
const maxSamples = 1024;

export type Interval = {
	/** Requests answered since the last call of `interval`. */
	readonly answered: number;
	/** 95th percentile of their answer times, milliseconds; `undefined` without requests. */
	readonly p95Ms?: number;
};

export type Metrics = {
	/** Counts an answer. `routeId`: `CompiledRoute.id`, or `undefined` for unknown routes. These share one label, since strangers choose their names. */
	observe(
		routeId: string | undefined,
		delivery: Pick<Delivery, 'profile' | 'route' | 'outcome' | 'durationMs' | 'bodyBytes'>,
	): void;
	/** Counts a request that the parser refused, or that took too long, by status. */
	refuseRequest(status: number): void;
	/** Counts an idle connection that was closed for a new one. */
	evictConnection(): void;
	/** Counts a connection that was refused above the limit. */
	dropConnection(): void;
	/** The requests since the last call. */
	interval(): Interval;
	/** Prometheus text. */
	render(gauges: {readonly inFlight: number; readonly connections: number}): string;
};

type RouteLabels = {readonly profile: string; readonly route: string};

type RouteCounts = {readonly labels: RouteLabels; readonly outcomes: Map<string, number>};

/** Counts the answers of the receiver, in bounded memory. @see manual/metrics.md */
export function createMetrics(): Metrics {
	const requests = new Map<string, RouteCounts>();
	const refused = new Map<string, number>();
	const counts = buckets.map(() => 0);
	let seconds = 0;
	let total = 0;
	let bodyBytes = 0;
	let evicted = 0;
	let dropped = 0;
	let answered = 0;
	let samples: number[] = [];

	const countsOf = (id: string, labels: RouteLabels): RouteCounts => {
		const known = requests.get(id) ?? {labels, outcomes: new Map<string, number>()};
		requests.set(id, known);
		return known;
	};

	const firstCountsOf = (
		routeId: string | undefined,
		{profile, route}: RouteLabels,
	): RouteCounts => {
		if (routeId === undefined) {
			return countsOf(unknownRoute, {profile: noProfile, route: unknownRoute});
		}

		return requests.size < maxRoutes
			? countsOf(routeId, {profile, route})
			: countsOf(otherRoutes, {profile: noProfile, route: otherRoutes});
	};

	return {
		observe(routeId, delivery) {
			const {outcomes} = requests.get(routeId ?? unknownRoute) ?? firstCountsOf(routeId, delivery);
			outcomes.set(delivery.outcome, (outcomes.get(delivery.outcome) ?? 0) + 1);
			const duration = delivery.durationMs / 1000;
			const bucket = buckets.findIndex(bound => duration <= bound);
			if (bucket !== -1) {
				counts[bucket] = (counts[bucket] ?? 0) + 1;
			}

			seconds += duration;
			total += 1;
			bodyBytes += delivery.bodyBytes;
			samples[answered % maxSamples] = delivery.durationMs;
			answered += 1;
		},
		refuseRequest(status) {
			const label = String(status);
			refused.set(label, (refused.get(label) ?? 0) + 1);
		},
		evictConnection() {
			evicted += 1;
		},
		dropConnection() {
			dropped += 1;
		},
		interval() {
			const sorted = samples.toSorted((left, right) => left - right);
			const p95Ms = sorted[Math.floor(sorted.length * 0.95)];
			const result = {answered, ...(p95Ms !== undefined && {p95Ms})};
			answered = 0;
			samples = [];
			return result;
		},
		render({inFlight, connections}) {
			const routes = [...requests.values()];
			const families: ReadonlyArray<readonly [string, string, readonly MetricSample[]]> = [
				[
					'svc_webhook_requests_total',
					'Requests by profile, route and outcome.',
					routes.flatMap(({labels, outcomes}) =>
						[...outcomes].map(([outcome, value]) => ({labels: {...labels, outcome}, value})),
					),
				],
				[
					'svc_webhook_rate_limited_total',
					'Requests above the rate limit of their route.',
					routes.map(({labels, outcomes}) => ({labels, value: outcomes.get('rate') ?? 0})),
				],
				[
					'svc_webhook_refused_requests_total',
					'Requests that the parser refused or that took too long, by status.',
					[...refused].map(([status, value]) => ({labels: {status}, value})),
				],
				['svc_webhook_body_bytes_total', 'Bytes of request bodies.', alone(bodyBytes)],
				[
					'svc_webhook_rejected_connections_total',
					'Connections above the limit, closed because none was idle.',
					alone(dropped),
				],
				[
					'svc_webhook_evicted_connections_total',
					'Idle connections closed to make room for new ones.',
					alone(evicted),
				],
				['svc_webhook_in_flight_requests', 'Requests being answered.', alone(inFlight)],
				['svc_webhook_connections', 'Open connections.', alone(connections)],
			];
			const written = families.map(([name, help, values]) =>
				writeCounters({name, help, type: name.endsWith('_total') ? 'counter' : 'gauge'}, values),
			);
			return [...written, writeDurations({counts, sum: seconds, count: total})].join('');
		},
	};
}

export type MetricSample = {
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
};

export type Family = {
	readonly name: string;
	readonly help: string;
	readonly type: 'counter' | 'gauge';
};

const alone = (value: number): readonly MetricSample[] => [{labels: {}, value}];

/** One family in the Prometheus text format; label values are escaped. */
export const writeCounters = (
	{name, help, type}: Family,
	samples: readonly MetricSample[],
): string =>
	`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(sample => writeSample(name, sample)).join('')}`;

const durations = 'svc_webhook_request_duration_seconds';

/** The histogram of answer times in the Prometheus text format. `counts`: one number per bucket, not cumulative. */
function writeDurations({
	counts,
	sum,
	count,
}: {
	readonly counts: readonly number[];
	readonly sum: number;
	readonly count: number;
}): string {
	let below = 0;
	const lines = buckets.map((bound, index) => {
		below += counts[index] ?? 0;
		return writeSample(`${durations}_bucket`, {labels: {le: String(bound)}, value: below});
	});
	lines.push(
		writeSample(`${durations}_bucket`, {labels: {le: '+Inf'}, value: count}),
		writeSample(`${durations}_sum`, {labels: {}, value: sum}),
		writeSample(`${durations}_count`, {labels: {}, value: count}),
	);
	return `# HELP ${durations} Time from the first header to the decision.\n# TYPE ${durations} histogram\n${lines.join('')}`;
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
