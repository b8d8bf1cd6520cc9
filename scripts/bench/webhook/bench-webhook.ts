import {pushExample} from '../example.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {storeDeliveries} from '../start/stored-deliveries.ts';
import {median} from '../statistics.ts';
import {hasAdnanh} from './adnanh-server.ts';
import {startGenerator, type Generator} from './generator.ts';
import type {LoadResult} from './messages.ts';
import {bareName, floorName, variantsOf, type Variant, type World} from './variants.ts';

const connectionCounts: readonly number[] = [1, 16, 64];
const briefCount = 64;

/** Enough for the compiler to have seen everything often. */
const firstWarmUpMs = 2000;
const warmUpMs = 300;

const manyStored = 100_000;

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
	only,
	connections: counts = connectionCounts,
	before,
}: BenchOptions): Promise<Report> {
	const variants = variantsOf({only, before}).filter(
		variant => countsOf(variant, counts).length > 0,
	);
	const generator = startGenerator();
	const samples: Sample[] = [];
	using full = makeHome('');
	if (variants.some(({stored}) => stored)) {
		progress(`storing ${manyStored} deliveries`);
		await storeDeliveries(full.path, manyStored);
	}

	const world = {profile, fullHome: full.path};
	try {
		for (let round = 1; round <= rounds; round++) {
			for (const variant of variants) {
				progress(`round ${round} of ${rounds}: ${variant.name}`);
				samples.push(...(await measure(variant, {generator, seconds, counts, world})));
			}
		}
	} finally {
		generator.stop();
	}

	return {
		title: `webhook: POST of ${pushExample().length} bytes, X-Hub-Signature-256, ${rounds} rounds of ${seconds} s; medians`,
		lines: counts.flatMap(connections =>
			variants
				.filter(variant => countsOf(variant, counts).includes(connections))
				.map(variant => lineOf(variant, connections, samples)),
		),
		notes: [
			'"of bare", "of floor": requests per second as a share of that server\'s at the same number of connections, medians of the same run.',
			'"cpu us": user and system time of the server process per request; it does not depend on the generator. "x bare": how often the bare server\'s goes into it.',
			'The work floor is node:http with what no receiver is spared: HMAC, JSON.parse, one insert of the body, and the same group commit with the same settings of the database.',
			`The load generator is one process on the same cores; it used ${share(samples.map(one => one.generatorLoad))} of a core at the median, ${share(samples.filter(({variant}) => variant === bareName).map(one => one.generatorLoad))} against the bare server. Near 100 % the generator is the limit: the bare server could do more, and the true share is lower, towards the ratio of the "cpu us".`,
			'"direct" hands the message to a target that costs nothing; "durable accept" answers after the journal is synced to the disk; "program" is svc gateway run with all rooms, runs queued and none worked on. "coalesced" events all join one group; "401" requests are forged, so a few of them a second are explained and kept.',
			hasAdnanh()
				? 'adnanh/webhook (Debian: webhook) checks the same signature; what it accepts starts /bin/true, since it keeps nothing, and whose time is not in its "cpu us"; it may use both cores.'
				: 'adnanh/webhook is not installed (Debian: webhook), so it was not measured.',
		],
		data: samples,
	};
}

const countsOf = ({brief}: Variant, counts: readonly number[]): readonly number[] =>
	brief ? counts.filter(count => count === briefCount) : counts;

const share = (values: readonly number[]) => `${Math.round(median(values) * 100)} %`;

async function measure(
	variant: Variant,
	{
		generator,
		seconds,
		counts,
		world,
	}: {
		readonly generator: Generator;
		readonly seconds: number;
		readonly counts: readonly number[];
		readonly world: World;
	},
): Promise<readonly Sample[]> {
	const {name, start, route, status, forged = false} = variant;
	await using server = await start(world);
	const order = {port: server.port, path: `/webhooks/${route}`, ms: seconds * 1000, forged};
	await generator.run({...order, connections: 16, warmUpMs: firstWarmUpMs, ms: 100});
	const samples: Sample[] = [];
	for (const connections of countsOf(variant, counts)) {
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
	const speedOf = (some: readonly Sample[]) => median(some.map(perSecond));
	const cpuOf = (some: readonly Sample[]) => median(some.map(one => one.cpuMicrosPerRequest));
	const [bare, floor] = [ofVariant(bareName), ofVariant(floorName)];
	const speed = speedOf(mine);
	const percentOf = (other: readonly Sample[]) => `${Math.round((speed / speedOf(other)) * 100)} %`;
	return {
		connections,
		server: name,
		'req/s': Math.round(speed),
		best: Math.round(Math.max(...mine.map(perSecond))),
		'of bare': percentOf(bare),
		'of floor': percentOf(floor),
		'p50 ms': median(mine.map(one => one.p50Ms)).toFixed(2),
		'p99 ms': median(mine.map(one => one.p99Ms)).toFixed(2),
		'cpu us': cpuOf(mine).toFixed(1),
		least: Math.min(...mine.map(one => one.cpuMicrosPerRequest)).toFixed(1),
		'x bare': (cpuOf(mine) / cpuOf(bare)).toFixed(1),
		'gen. core': share(mine.map(one => one.generatorLoad)),
	};
}
