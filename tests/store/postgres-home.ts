import {randomUUID} from 'node:crypto';
import {Client, type Pool} from 'pg';
import {systemClock} from '../../source/core/clock.ts';
import {createDatabase} from '../../source/store/postgres/database.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {createPool} from '../../source/store/postgres/pool.ts';
import {migrate} from '../../source/store/postgres/schema.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';
import type {PostgresServer} from '../helpers/postgres.ts';
import type {Home} from './contract.ts';

/** Databases that a test has left, empty again: making one takes longer than emptying it. */
type Free = string[];

/** A source of storages in the databases of one server. A crash is a copy of all rows. */
export function createPostgresHomes(server: PostgresServer): () => Promise<Home> {
	const free: Free = [];
	let made = 0;

	const take = async (): Promise<string> => {
		const used = free.pop();
		if (used !== undefined) {
			return used;
		}

		made += 1;
		return server.create(`svc_test_${process.pid}_${made}`);
	};

	/** A connection costs the server more than most tests ask of it. */
	const pools = new Map<string, Pool>();
	const poolOf = (url: string): Pool => {
		const pool = pools.get(url) ?? createPool(url);
		pools.set(url, pool);
		return pool;
	};

	const keepers = new Map<string, Promise<Keeper>>();
	const keeperOf = async (url: string): Promise<Keeper> => {
		const keeper = keepers.get(url) ?? openKeeper(url);
		keepers.set(url, keeper);
		return keeper;
	};

	const createHome = async (): Promise<Home> => {
		const url = await take();
		let lastOffset = 0;
		const open = async (clock: FakeClock, place: string) => {
			// The clock of a database goes on, whatever becomes of that of a gateway.
			const offset = clock.now() - clock.monotonic();
			lastOffset = offset;
			return openPostgresStore(
				{clock, time: () => clock.monotonic() + offset, pool: poolOf(url)},
				{url, node: place, place},
			);
		};

		return {
			async open(clock) {
				const store = await open(clock, 'only');
				return {...store, taken: await store.takeOver()};
			},
			openBeside: async clock => open(clock, randomUUID()),
			now: clock => clock.monotonic() + lastOffset,
			async crash() {
				const copy = await take();
				await migrate(createDatabase({clock: systemClock, pool: poolOf(copy)}, {url: copy}));
				await copyRows(await keeperOf(url), await keeperOf(copy));
				free.push(copy);
				return createHome();
			},
			async [Symbol.asyncDispose]() {
				await emptyRows(await keeperOf(url));
				free.push(url);
			},
		};
	};

	return createHome;
}

type Table = {readonly name: string; readonly columns: string};

/** A connection that stays, and the tables with the columns that are written; last those that triggers of others change. */
type Keeper = {readonly client: Client; readonly tables: readonly Table[]};

async function openKeeper(url: string): Promise<Keeper> {
	const client = new Client({connectionString: url});
	// The server ends before it does.
	client.on('error', () => {});
	await client.connect();
	const tables = (
		await client.query<{name: string; columns: string}>(
			`select table_name as name, string_agg('"' || column_name || '"', ', ') as columns from information_schema.columns
			where table_schema = 'public' and table_name <> 'schema_version' and is_generated = 'NEVER' group by 1 order by table_name in ('counter', 'change_count')`,
		)
	).rows;
	return {client, tables};
}

const emptyRows = async ({client, tables}: Keeper) =>
	client.query(
		[
			...tables.map(({name}) => `delete from "${name}"`),
			"select setval(c.oid::regclass, 1, false) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and n.nspname = 'public'",
		].join(';'),
	);

async function copyRows({client: source, tables}: Keeper, {client: target}: Keeper): Promise<void> {
	for (const {name: table, columns} of tables) {
		// oxlint-disable-next-line no-await-in-loop -- one connection
		const {rows} = await source.query<{data: string}>(
			`select coalesce(json_agg(t), '[]')::text as data from "${table}" t`,
		);
		// oxlint-disable-next-line no-await-in-loop
		await target.query(`delete from "${table}"`);
		// oxlint-disable-next-line no-await-in-loop
		await target.query(
			`insert into "${table}" (${columns}) select ${columns} from json_populate_recordset(null::"${table}", $1::json)`,
			[rows[0]?.data],
		);
	}

	const {rows: sequences} = await source.query<{name: string; last: string}>(
		"select sequencename as name, coalesce(last_value, 0)::text as last from pg_sequences where schemaname = 'public'",
	);
	for (const {name, last} of sequences) {
		// oxlint-disable-next-line no-await-in-loop
		await target.query('select setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)', [
			name,
			last,
		]);
	}
}
