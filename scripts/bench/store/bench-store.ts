import {fork, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Client} from 'pg';
import {numberOfTime} from '../../../source/core/ids.ts';
import {hasPgbouncer, startPgbouncer} from '../../../tests/helpers/pgbouncer.ts';
import {hasPostgres, startPostgres, type PostgresServer} from '../../../tests/helpers/postgres.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import type {AcceptLoad, AcceptResult, StorePlace} from './store-process.ts';

const routeCounts: readonly number[] = [1, 8, 64];
const memberCounts: readonly number[] = [1, 2, 3];
const callers = 64;
const warmUpSeconds = 1;
const maxRows = 20_000_000;
/** How long a reader that forgets nothing stays, seconds. */
const readerSeconds = 120;
const parts: readonly string[] = ['members', 'growth', 'pooled'];

type Sample = {readonly name: string; readonly routes: number; readonly result: AcceptResult};

/**
 * Accepted events a second of the two stores, which both sync each commit to the disk: by number of routes; of one, two and three gateways on one database; over a journal that is full; and through PgBouncer beside a
 * reader that holds up the cleaning of rows.
 */
export async function benchStore({
	rounds = 3,
	seconds = 4,
	rows = 1_000_000,
	only = parts,
	before,
}: BenchOptions): Promise<Report> {
	const unknown = only.filter(part => !parts.includes(part));
	if (unknown.length > 0) {
		throw new Error(`Cannot measure "${unknown.join('", "')}": --only takes ${parts.join(', ')}`);
	}

	if (!hasPostgres) {
		throw new Error(
			'Cannot measure: no PostgreSQL is installed (Debian: "apt install postgresql")',
		);
	}

	await using postgres = await startPostgres({syncs: true});
	using home = makeHome('');
	const samples: Sample[] = [];
	const checkouts = [
		{name: '', root: here},
		...(before === undefined ? [] : [{name: 'before: ', root: before}]),
	];
	for (let round = 1; only.includes('members') && round <= rounds; round += 1) {
		progress(`round ${round} of ${rounds}`);
		const file = join(home.path, `${round}.db`);
		samples.push(...(await byRoutes('sqlite', [{kind: 'sqlite', file}], {seconds})));
		for (const [index, {name, root}] of checkouts.entries()) {
			const url = await postgres.create(`round_${round}_${index}`);
			for (const members of memberCounts) {
				const store = `${name}postgres${members === 1 ? '' : `, ${members} gateways`}`;
				samples.push(...(await byRoutes(store, membersOf(url, members), {seconds, root})));
			}
		}
	}

	const lines = linesOf(samples);
	const count = Math.min(Math.round(rows), maxRows);
	if (only.includes('growth')) {
		lines.push(...(await growth(postgres, {count, rounds, seconds})));
	}

	if (only.includes('pooled')) {
		lines.push(...(await besideReader(postgres, {seconds})));
	}

	return {
		title: `store: accepts of ${callers} callers at once, each with a body of 7 kB, ${rounds} rounds of ${seconds} s; medians`,
		lines,
		notes: [
			'"of sqlite": accepts per second as a share of those of SQLite with as many routes, in the same run. All commits are synced to the disk.',
			'"cpu us": of the gateway processes per accept, without those of the database. Database, gateways and callers share the cores of this machine.',
			`Growth: the same database before and after ${count.toLocaleString('en')} further deliveries of a week, without bodies.`,
			`PgBouncer: pool_mode transaction, ${readerSeconds} s in each of two new databases; the reader is a transaction that has read and stays open, so that no row that is replaced can be cleaned.`,
		],
		data: samples,
	};
}

const membersOf = (url: string, count: number): readonly StorePlace[] =>
	Array.from({length: count}, (_, index) => ({kind: 'postgres', url, node: `node-${index}`}));

const here = fileURLToPath(new URL('../../..', import.meta.url));

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
	const heard = new AbortController();
	const {signal} = heard;
	try {
		const [message] = await Promise.race([
			once(child, 'message', {signal}),
			once(child, 'exit', {signal}).then(() => {
				throw new Error('a store process has ended');
			}),
		]);
		return message;
	} finally {
		heard.abort();
	}
};

async function withProcesses<Result>(
	places: readonly StorePlace[],
	work: (measure: (load: AcceptLoad) => Promise<AcceptResult>) => Promise<Result>,
	root = here,
): Promise<Result> {
	const children = places.map(place =>
		fork(join(root, 'scripts/bench/store/store-process.ts'), [JSON.stringify(place)], {
			execArgv: process.execArgv,
		}),
	);
	try {
		await Promise.all(children.map(nextMessage));
		return await work(async load => {
			const results = await Promise.all(
				children.map(async child => {
					child.send({...load, callers: Math.ceil(load.callers / children.length)});
					// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the process sends nothing else
					return (await nextMessage(child)) as AcceptResult;
				}),
			);
			return together(results);
		});
	} finally {
		await Promise.all(
			children.map(async child => {
				const exited = once(child, 'exit');
				child.disconnect();
				await exited;
			}),
		);
	}
}

/** Of processes that accepted side by side. */
function together(results: readonly AcceptResult[]): AcceptResult {
	const accepts = results.reduce((sum, one) => sum + one.accepts, 0);
	return {
		accepts,
		seconds: Math.max(...results.map(one => one.seconds)),
		p50Ms: median(results.map(one => one.p50Ms)),
		p99Ms: Math.max(...results.map(one => one.p99Ms)),
		cpuMicrosPerAccept:
			results.reduce((sum, one) => sum + one.cpuMicrosPerAccept * one.accepts, 0) / accepts,
	};
}

const byRoutes = async (
	name: string,
	places: readonly StorePlace[],
	{seconds, root}: {readonly seconds: number; readonly root?: string},
): Promise<readonly Sample[]> =>
	withProcesses(
		places,
		async measure => {
			await measure({routes: 8, callers, seconds: warmUpSeconds});
			const samples: Sample[] = [];
			for (const routes of routeCounts) {
				const [place] = places;
				if (place?.kind === 'postgres') {
					// oxlint-disable-next-line no-await-in-loop
					await workOff(place.url);
				}

				// oxlint-disable-next-line no-await-in-loop -- one after the other
				samples.push({name, routes, result: await measure({routes, callers, seconds})});
			}

			return samples;
		},
		root,
	);

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
	const client = new Client({connectionString: url});
	await client.connect();
	try {
		for (const statement of statements) {
			// oxlint-disable-next-line no-await-in-loop
			await client.query(statement);
		}
	} finally {
		await client.end();
	}
}

/** A queue of a hundred thousand runs is no usual one. */
const settleDue =
	"update run set state = 'done', due_at = null, finished_at = created_at where due_at is not null";

const workOff = async (url: string) => ask(url, settleDue, 'vacuum run');

const rate = ({accepts, seconds}: AcceptResult) => accepts / seconds;

function linesOf(samples: readonly Sample[]): Line[] {
	const names = [...new Set(samples.map(({name}) => name))];
	const medianOf = (name: string, routes: number, of: (result: AcceptResult) => number) =>
		median(
			samples.filter(one => one.name === name && one.routes === routes).map(one => of(one.result)),
		);
	return routeCounts.flatMap(routes =>
		names.map(name => ({
			store: name,
			routes,
			'accepts/s': Math.round(medianOf(name, routes, rate)),
			'of sqlite': `${Math.round((100 * medianOf(name, routes, rate)) / medianOf('sqlite', routes, rate))} %`,
			'p50 ms': medianOf(name, routes, one => one.p50Ms).toFixed(1),
			'p99 ms': medianOf(name, routes, one => one.p99Ms).toFixed(1),
			'cpu us': Math.round(medianOf(name, routes, one => one.cpuMicrosPerAccept)),
		})),
	);
}

const lineOf = (name: string, result: AcceptResult, before?: AcceptResult): Line => ({
	store: name,
	routes: 8,
	'accepts/s': Math.round(rate(result)),
	...(before && {'of before': `${Math.round((100 * rate(result)) / rate(before))} %`}),
	'p50 ms': result.p50Ms.toFixed(1),
	'p99 ms': result.p99Ms.toFixed(1),
	'cpu us': Math.round(result.cpuMicrosPerAccept),
});

const medianResult = (results: readonly AcceptResult[]): AcceptResult =>
	results.toSorted((a, b) => rate(a) - rate(b))[Math.floor(results.length / 2)] as AcceptResult;

async function growth(
	postgres: PostgresServer,
	{
		count,
		rounds,
		seconds,
	}: {readonly count: number; readonly rounds: number; readonly seconds: number},
): Promise<readonly Line[]> {
	const url = await postgres.create('growth');
	return withProcesses(membersOf(url, 1), async measure => {
		const load = {routes: 8, callers, seconds};
		const several = async () => {
			const results: AcceptResult[] = [];
			for (let round = 0; round < rounds; round += 1) {
				// oxlint-disable-next-line no-await-in-loop
				await workOff(url);
				// oxlint-disable-next-line no-await-in-loop
				results.push(await measure(load));
			}

			return medianResult(results);
		};
		await measure({...load, seconds: warmUpSeconds});
		const before = await several();
		progress(`storing ${count} deliveries`);
		await ask(
			url,
			fillDeliveries(count),
			'vacuum analyze delivery',
			'vacuum analyze claim',
			'checkpoint',
		);
		const after = await several();
		return [
			lineOf('postgres, empty', before),
			lineOf(`postgres, ${count.toLocaleString('en')} stored`, after, before),
		];
	});
}

/** Deliveries of the last week, each with the claim that the retention has left. */
function fillDeliveries(count: number): string {
	const weekMs = 7 * 86_400_000;
	const from = Date.now() - weekMs;
	const stepMs = Math.max(1, Math.floor(weekMs / count));
	return `with new as (
		insert into delivery (id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, trace, headers)
		select ${numberOfTime(from)} + n * ${2048 * stepMs}, 'default', 'route-' || n % 64, 'push', 'stored-' || n, 'x-github-delivery', 200, 'delivered', ${from} + n * ${stepMs}, 1, 7153, 0, '[{"step":"route","verdict":"pass"}]', '{}'
		from generate_series(1::bigint, ${count}) as n returning id, route, delivery_id, received_at
	) insert into claim (profile, route, delivery_id, delivery, at) select 'default', route, delivery_id, id, received_at from new`;
}

/** Two databases of the same age: one whose rows can be cleaned, one in which a reader keeps them. */
async function besideReader(
	postgres: PostgresServer,
	{seconds}: {readonly seconds: number},
): Promise<readonly Line[]> {
	if (!hasPgbouncer) {
		return [{store: 'PgBouncer is not installed (Debian: pgbouncer)'}];
	}

	const pieces = Math.max(1, Math.floor(readerSeconds / seconds));
	const load = {routes: 8, callers, seconds};
	const accept = async (hasReader: boolean) => {
		progress(
			`through PgBouncer, ${readerSeconds} s ${hasReader ? 'beside a reader' : 'without a reader'}`,
		);
		const direct = await postgres.create(hasReader ? 'read' : 'unread');
		await using pgbouncer = await startPgbouncer(direct);
		const url = pgbouncer?.url ?? direct;
		return await withProcesses(membersOf(url, 1), async measure => {
			await measure({...load, seconds: warmUpSeconds});
			const reader = new Client({connectionString: direct});
			await reader.connect();
			try {
				if (hasReader) {
					await reader.query('begin isolation level repeatable read');
					await reader.query('select count(*) from run');
				}

				const results: AcceptResult[] = [];
				for (let piece = 0; piece < pieces; piece += 1) {
					// oxlint-disable-next-line no-await-in-loop
					results.push(await measure(load));
					// oxlint-disable-next-line no-await-in-loop
					await ask(direct, settleDue);
				}

				return results;
			} finally {
				await reader.end();
			}
		});
	};
	const alone = await accept(false);
	const beside = await accept(true);
	const last = Math.max(1, Math.floor(pieces / 4));
	return [
		lineOf('postgres through PgBouncer', medianResult(alone)),
		lineOf('… with a reader open', medianResult(beside), medianResult(alone)),
		lineOf(
			'… the last quarter',
			medianResult(beside.slice(-last)),
			medianResult(alone.slice(-last)),
		),
	];
}
