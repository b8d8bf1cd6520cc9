import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {pushExample} from '../example.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import type {RouteName} from './config.ts';
import type {LoadOrder, LoadResult} from './messages.ts';
import {startBareServer, startProgram, startRoomsServer, type Server} from './servers.ts';

const connectionCounts = [1, 16, 64] as const;

/** Enough for the compiler to have seen everything often. */
const firstWarmUpMs = 2000;
const warmUpMs = 300;

type Variant = {
	readonly name: string;
	readonly start: (profile?: string) => Promise<Server>;
	readonly route: RouteName;
	/** The only status that a request may get. */
	readonly status: string;
};

const variants: readonly Variant[] = [
	{name: 'bare node:http', start: startBareServer, route: 'accept', status: '202'},
	{name: 'ignored (filter)', start: startRoomsServer, route: 'ignored', status: '200'},
	{name: 'direct', start: startRoomsServer, route: 'direct', status: '200'},
	{name: 'durable accept', start: startRoomsServer, route: 'accept', status: '202'},
	{name: 'program, ignored', start: startProgram, route: 'ignored', status: '200'},
	{name: 'program, accept', start: startProgram, route: 'accept', status: '202'},
];

type Sample = LoadResult & {
	readonly variant: string;
	readonly connections: number;
	readonly cpuMicrosPerRequest: number;
};

const perSecond = ({requests, seconds}: LoadResult) => requests / seconds;

/**
 * The way of a delivery from the request to its answer, beside a server that only reads and answers. Every round starts every server anew and
 * measures them in turn, so that what the machine does meanwhile disturbs all of them alike.
 */
export async function benchWebhook({
	rounds = 3,
	seconds = 4,
	profile,
}: BenchOptions): Promise<Report> {
	const generator = startGenerator();
	const samples: Sample[] = [];
	try {
		for (let round = 1; round <= rounds; round++) {
			for (const variant of variants) {
				progress(`round ${round} of ${rounds}: ${variant.name}`);
				samples.push(...(await measure(variant, {generator, seconds, profile})));
			}
		}
	} finally {
		generator.stop();
	}

	return {
		title: `webhook: POST of ${pushExample().length} bytes, X-Hub-Signature-256, ${rounds} rounds of ${seconds} s; medians`,
		lines: connectionCounts.flatMap(connections =>
			variants.map(variant => lineOf(variant, connections, samples)),
		),
		notes: [
			'"of bare": requests per second as a share of the bare server\'s at the same number of connections, medians of the same run.',
			'"cpu us": user and system time of the server process per request; it does not depend on the generator.',
			`The load generator is one process on the same cores; it used ${share(samples.map(one => one.generatorLoad))} of a core at the median, ${share(samples.filter(({variant}) => variant === 'bare node:http').map(one => one.generatorLoad))} against the bare server. Near 100 % the generator is the limit: the bare server could do more, and the true share is lower, towards the ratio of the "cpu us".`,
			'"direct" hands the message to a target that costs nothing; "durable accept" answers after the journal is synced to the disk; "program" is svc gateway run with all rooms, runs queued and none worked on.',
		],
		data: samples,
	};
}

const share = (values: readonly number[]) => `${Math.round(median(values) * 100)} %`;

type Generator = {
	readonly run: (order: LoadOrder) => Promise<LoadResult>;
	readonly stop: () => void;
};

function startGenerator(): Generator {
	const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), {execArgv: []});
	return {
		async run(order) {
			child.send(order);
			const [said] = (await once(child, 'message')) as [
				{ok: true; result: LoadResult} | {ok: false; error: string},
			];
			if (!said.ok) {
				throw new Error(said.error);
			}

			return said.result;
		},
		stop() {
			child.disconnect();
		},
	};
}

async function measure(
	{name, start, route, status}: Variant,
	{
		generator,
		seconds,
		profile,
	}: {generator: Generator; seconds: number; profile: string | undefined},
): Promise<readonly Sample[]> {
	await using server = await start(profile);
	const order = {port: server.port, path: `/webhooks/${route}`, ms: seconds * 1000};
	await generator.run({...order, connections: 16, warmUpMs: firstWarmUpMs, ms: 100});
	const samples: Sample[] = [];
	for (const connections of connectionCounts) {
		await generator.run({...order, connections, warmUpMs, ms: 50});
		const before = await server.cpuMicros();
		const result = await generator.run({...order, connections, warmUpMs: 0});
		const cpuMicros = (await server.cpuMicros()) - before;
		const strange = Object.keys(result.statuses).filter(seen => seen !== status);
		if (strange.length > 0) {
			throw new Error(`${name} answered ${JSON.stringify(result.statuses)} instead of ${status}`);
		}

		samples.push({
			...result,
			variant: name,
			connections,
			cpuMicrosPerRequest: cpuMicros / result.requests,
		});
	}

	return samples;
}

function lineOf({name}: Variant, connections: number, samples: readonly Sample[]): Line {
	const ofVariant = (wanted: string) =>
		samples.filter(one => one.variant === wanted && one.connections === connections);
	const mine = ofVariant(name);
	const speed = median(mine.map(perSecond));
	const bare = median(ofVariant('bare node:http').map(perSecond));
	return {
		connections,
		server: name,
		'req/s': Math.round(speed),
		best: Math.round(Math.max(...mine.map(perSecond))),
		'of bare': `${Math.round((speed / bare) * 100)} %`,
		'p50 ms': median(mine.map(one => one.p50Ms)).toFixed(2),
		'p99 ms': median(mine.map(one => one.p99Ms)).toFixed(2),
		'cpu us': median(mine.map(one => one.cpuMicrosPerRequest)).toFixed(1),
		'gen. core': share(mine.map(one => one.generatorLoad)),
	};
}
