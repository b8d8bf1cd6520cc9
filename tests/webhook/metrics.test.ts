import {expect, test} from 'vitest';
import {createMetrics} from '../../source/webhook/metrics.ts';
import {parsePrometheus} from './parse-prometheus.ts';
import {makeJob, makeRoute, send, startReceiver} from './start-receiver.ts';

const coalesce = {key: 'k', windowMs: 30_000, maxWaitMs: 300_000};

const observed = (route: string, outcome: 'accepted' | 'rate' = 'accepted') =>
	({profile: 'default', route, outcome, durationMs: 3, bodyBytes: 2}) as const;

test('GET /metrics: requests by route and result, valid Prometheus text whatever routes are called', async () => {
	const strange = 'a"b\\c\nd{e="f"} 1 # HELP é';
	await using receiver = await startReceiver({
		routes: [
			makeRoute({rateLimit: 1}),
			makeRoute({name: strange}),
			makeRoute({name: 'grouped', coalesce}),
			makeRoute({name: 'job', cronJob: 'nightly'}),
			makeRoute({name: 'lost', cronJob: 'gone'}),
			makeRoute({name: 'deploy', profile: 'work'}),
		],
		jobs: {nightly: makeJob()},
		multiplexing: true,
		metrics: () => '# TYPE svc_other gauge\nsvc_other 1\n',
	});
	for (const path of [
		'/webhooks/hook',
		'/webhooks/hook',
		`/webhooks/${encodeURIComponent(strange)}`,
		'/webhooks/grouped',
		'/webhooks/job',
		'/webhooks/lost',
		'/p/work/webhooks/deploy',
		'/p/home/webhooks/deploy',
		'/webhooks/x',
		'/webhooks/y',
	]) {
		// oxlint-disable-next-line no-await-in-loop -- their order is the point
		await receiver.post({k: 1}, {}, path);
	}

	const {text} = await send(receiver.url, {path: '/metrics'});
	const families = parsePrometheus(text);
	expect(
		families
			.get('svc_webhook_requests_total')
			?.samples.map(({labels, value}) => [
				labels['profile'],
				labels['route'],
				labels['outcome'],
				value,
			]),
	).toEqual([
		['default', 'hook', 'accepted', 1],
		['default', 'hook', 'rate', 1],
		['default', strange, 'accepted', 1],
		['default', 'grouped', 'coalesced', 1],
		['default', 'job', 'accepted', 1],
		['default', 'lost', 'job', 1],
		['work', 'deploy', 'accepted', 1],
		['-', '(unknown)', 'route', 3],
	]);
	expect(families.get('svc_webhook_request_duration_seconds')?.type).toBe('histogram');
	expect(families.get('svc_other')?.samples).toEqual([{name: 'svc_other', labels: {}, value: 1}]);
	expect([...families.keys()].filter(name => name.startsWith('svc_webhook_'))).toEqual([
		'svc_webhook_requests_total',
		'svc_webhook_rate_limited_total',
		'svc_webhook_refused_requests_total',
		'svc_webhook_body_bytes_total',
		'svc_webhook_rejected_connections_total',
		'svc_webhook_evicted_connections_total',
		'svc_webhook_in_flight_requests',
		'svc_webhook_connections',
		'svc_webhook_request_duration_seconds',
	]);
	expect(
		[...families.values()].filter(({type, help}) => type !== 'gauge' && help === undefined),
	).toEqual([]);
});

test('a receiver that answered nothing yet has valid metrics, too', () => {
	const families = parsePrometheus(createMetrics().render({inFlight: 0, connections: 0}));
	expect(families.get('svc_webhook_requests_total')?.samples).toEqual([]);
});

test('labels are bounded: beyond 1,000 routes all further ones share one', () => {
	const metrics = createMetrics();
	for (let index = 0; index < 5000; index++) {
		metrics.observe(`default/route-${index}`, observed(`route-${index}`));
	}

	metrics.observe('default/route-7', observed('route-7'));
	metrics.observe(undefined, observed('/webhooks/whatever'));
	const samples = parsePrometheus(metrics.render({inFlight: 0, connections: 0})).get(
		'svc_webhook_requests_total',
	)?.samples;
	expect(samples?.length).toBe(1002);
	expect(
		samples?.filter(({labels}) =>
			['(other)', '(unknown)', 'route-7'].includes(labels['route'] ?? ''),
		),
	).toEqual([
		{
			name: 'svc_webhook_requests_total',
			labels: {profile: 'default', route: 'route-7', outcome: 'accepted'},
			value: 2,
		},
		{
			name: 'svc_webhook_requests_total',
			labels: {profile: '-', route: '(other)', outcome: 'accepted'},
			value: 4000,
		},
		{
			name: 'svc_webhook_requests_total',
			labels: {profile: '-', route: '(unknown)', outcome: 'accepted'},
			value: 1,
		},
	]);
});

test.for([
	['no line feed at the end', '# TYPE a gauge\na 1'],
	['a sample without a type', 'a 1\n'],
	['a counter that does not say so', '# TYPE a counter\na 1\n'],
	['a series twice', '# TYPE a gauge\na{b="c"} 1\na{b="c"} 2\n'],
	['a family twice', '# TYPE a gauge\na 1\n# TYPE a gauge\n'],
	['an escape that there is not', '# TYPE a gauge\na{b="\\t"} 1\n'],
	['an open label', '# TYPE a gauge\na{b="c} 1\n'],
	['a value that is none', '# TYPE a gauge\na NaN\n'],
	[
		'a histogram that falls',
		'# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
	],
])('the parser of these tests refuses %s', ([, text = '']) => {
	expect(() => parsePrometheus(text)).toThrow(/wrong|line feed/);
});

test('a route that is called like a label of the receiver stays a series of its own', () => {
	const metrics = createMetrics();
	metrics.observe(undefined, observed('x'));
	metrics.observe('default/(unknown)', observed('(unknown)'));
	const text = metrics.render({inFlight: 0, connections: 0});
	expect(parsePrometheus(text).get('svc_webhook_requests_total')?.samples).toHaveLength(2);
});

const forwarded = {'X-Forwarded-For': '192.0.2.1'};

test.for([
	['127.0.0.1', {}, 200],
	['localhost', {}, 200],
	['::1', {}, 200],
	['127.0.0.1', forwarded, 404],
	['0.0.0.0', forwarded, 200],
	['::', forwarded, 200],
	['192.0.2.7', forwarded, 404],
	['192.0.2.7', {}, 200],
] as const)(
	'GET /metrics: loopback only unless `metrics.host` says otherwise: %s, %j: %i',
	async ([metricsHost, headers, status]) => {
		await using receiver = await startReceiver({metricsHost});
		expect((await send(receiver.url, {path: '/metrics', headers})).status).toBe(status);
	},
);
