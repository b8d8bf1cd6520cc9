import {pushExample} from '../example.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {storeDeliveries} from '../start/stored-deliveries.ts';
import {median} from '../statistics.ts';
import {hasAdnanh, startAdnanh} from './adnanh-server.ts';
import type {RouteName} from './config.ts';
import {startGenerator, type Generator} from './generator.ts';
import type {LoadResult} from './messages.ts';
import {startBareServer, startProgram, startRoomsServer, type Server} from './servers.ts';

const connectionCounts = [1, 16, 64] as const;

/** Enough for the compiler to have seen everything often. */
const firstWarmUpMs = 2000;
const warmUpMs = 300;

const manyRoutes = 1000;
const manyStored = 100_000;

type Variant = {
	readonly name: string;
	readonly start: (world: World) => Promise<Server>;
	readonly route: RouteName;
	/** The only status that a request may get. */
	readonly status: string;
	readonly forged?: true;
	/** Measured at 64 connections only. */
	readonly brief?: true;
};

type World = {
	/** Folder for CPU profiles. */
	readonly profile: string | undefined;
	/** A data directory that many deliveries are stored in. */
	readonly fullHome: string;
};

const rooms = async ({profile}: World) => startRoomsServer(profile);
const program = async ({profile}: World) => startProgram({profile});

const accept = {route: 'accept', status: '202'} as const;
const ignored = {route: 'ignored', status: '200'} as const;

const variants: readonly Variant[] = [
	{name: 'bare node:http', start: startBareServer, ...accept},
	{name: 'ignored (filter)', start: rooms, ...ignored},
	{name: 'direct', start: rooms, route: 'direct', status: '200'},
	{name: 'durable accept', start: rooms, ...accept},
	{name: 'coalesced', start: rooms, route: 'coalesced', status: '202'},
	{name: '401 (forged)', start: rooms, route: 'accept', status: '401', forged: true},
	{name: 'program, ignored', start: program, ...ignored},
	{name: 'program, accept', start: program, ...accept},
	{
		name: 'program, accept, 1,000 routes',
		start: async ({profile}) => startProgram({profile, otherRoutes: manyRoutes}),
		...accept,
		brief: true,
	},
	{
		name: 'program, accept, 100,000 stored',
		start: async ({profile, fullHome}) => startProgram({profile, home: fullHome}),
		...accept,
		brief: true,
	},
	...(hasAdnanh()
		? ([
				{name: 'adnanh/webhook, ignored', start: startAdnanh, ...ignored, brief: true},
				{name: 'adnanh/webhook, accept', start: startAdnanh, ...accept, brief: true},
			] as const)
		: []),
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
	using full = makeHome('');
	progress(`storing ${manyStored} deliveries`);
	await storeDeliveries(full.path, manyStored);
	const world = {profile, fullHome: full.path};
	try {
		for (let round = 1; round <= rounds; round++) {
			for (const variant of variants) {
				progress(`round ${round} of ${rounds}: ${variant.name}`);
				samples.push(...(await measure(variant, {generator, seconds, world})));
			}
		}
	} finally {
		generator.stop();
	}

	return {
		title: `webhook: POST of ${pushExample().length} bytes, X-Hub-Signature-256, ${rounds} rounds of ${seconds} s; medians`,
		lines: connectionCounts.flatMap(connections =>
			variants
				.filter(variant => countsOf(variant).includes(connections))
				.map(variant => lineOf(variant, connections, samples)),
		),
		notes: [
			'"of bare": requests per second as a share of the bare server\'s at the same number of connections, medians of the same run.',
			'"cpu us": user and system time of the server process per request; it does not depend on the generator.',
			`The load generator is one process on the same cores; it used ${share(samples.map(one => one.generatorLoad))} of a core at the median, ${share(samples.filter(({variant}) => variant === 'bare node:http').map(one => one.generatorLoad))} against the bare server. Near 100 % the generator is the limit: the bare server could do more, and the true share is lower, towards the ratio of the "cpu us".`,
			'"direct" hands the message to a target that costs nothing; "durable accept" answers after the journal is synced to the disk; "program" is svc gateway run with all rooms, runs queued and none worked on. "coalesced" events all join one group; "401" requests are forged, so a few of them a second are explained and kept.',
			hasAdnanh()
				? 'adnanh/webhook (Debian: webhook) checks the same signature; what it accepts starts /bin/true, since it keeps nothing; it may use both cores.'
				: 'adnanh/webhook is not installed (Debian: webhook), so it was not measured.',
		],
		data: samples,
	};
}

const countsOf = ({brief}: Variant): readonly number[] => (brief ? [64] : connectionCounts);

const share = (values: readonly number[]) => `${Math.round(median(values) * 100)} %`;

async function measure(
	variant: Variant,
	{
		generator,
		seconds,
		world,
	}: {readonly generator: Generator; readonly seconds: number; readonly world: World},
): Promise<readonly Sample[]> {
	const {name, start, route, status, forged = false} = variant;
	await using server = await start(world);
	const order = {port: server.port, path: `/webhooks/${route}`, ms: seconds * 1000, forged};
	await generator.run({...order, connections: 16, warmUpMs: firstWarmUpMs, ms: 100});
	const samples: Sample[] = [];
	for (const connections of countsOf(variant)) {
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
