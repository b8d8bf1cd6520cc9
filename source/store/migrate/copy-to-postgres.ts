import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {integerOf, jsonOf, textOf} from '../columns.ts';
import {openSqliteStore} from '../open-sqlite-store.ts';
import {createDatabase, type Database} from '../postgres/database.ts';
import {migrate} from '../postgres/schema.ts';
import {
	compareCounts,
	type CopyCounts,
	type CopyEvents,
	countAll,
	type CopyWorld,
	markerKind,
	refuseMembers,
	tablesOf,
} from './copy-counts.ts';
import {numbered, stepsToPostgres} from './copy-steps.ts';
import {copyPages, type CopyPlace, postgresOrigin, postgresWriter, sqliteOrigin} from './ends.ts';

/** The progress of a copy: a memo with the number 0 in the target database, removed when everything is copied. */
type Marker = CopyPlace & {
	/** Identifies the source and its state. */
	readonly source: string;
};

/** Tables that members fill by themselves. */
const passing: ReadonlySet<string> = new Set([
	'schema_version',
	'member',
	'note',
	'named_lease',
	'rate_window',
	'pace',
	'key_rate',
	'key_hold',
	'counter',
	'change_count',
]);

/**
 * Copies `state.db` of a home, whose lock the caller holds, into a PostgreSQL database: one transaction per page, including the progress. An interrupted copy is continued
 * if the home has not changed since. `complete` is called when all rows are copied, before the copy counts as complete.
 *
 * @throws SvcError `store_not_empty` for a database with something in it that is not of this copy, `store_in_use` by members, `store_unreadable`, `store_too_new`, `journal_unavailable`
 */
export async function copyToPostgres(
	{clock, time, file, url}: CopyWorld,
	{onProgress, complete}: CopyEvents,
): Promise<CopyCounts> {
	await settleLeft(file, clock);
	using source = existsSync(file) ? new DatabaseSync(file, {readOnly: true}) : undefined;
	const database = createDatabase({clock, time}, {url});
	try {
		await migrate(database);
		const origin = source && sqliteOrigin(source);
		const counts = origin ? await countAll(origin, stepsToPostgres) : new Map<string, number>();
		const name = source ? JSON.stringify([file, [...counts], lastOf(source)]) : file;
		const marker = await begin(database, name);
		if (origin) {
			const write = postgresWriter();
			let before = marker;
			await copyPages(
				{origin, steps: stepsToPostgres, counts, begin: marker},
				async (page, place) => {
					const next = {source: marker.source, ...place};
					await database.transact(async transaction => {
						await write(transaction, page);
						const noted = await transaction.run(
							`update memo set data = $1 where kind = '${markerKind}' and data = $2`,
							[JSON.stringify(next), JSON.stringify(before)],
						);
						if (noted === 0) {
							throw new SvcError(
								'store_in_use',
								`Cannot copy into ${database.name}: another process copies into it`,
							);
						}
					});
					before = next;
				},
				onProgress,
			);
			await setSequences(database, source);
		}

		await complete();
		await compareCounts(counts, postgresOrigin(url), stepsToPostgres);
		await database.run(`delete from memo where kind = '${markerKind}'`);
		return counts;
	} finally {
		await database.close();
	}
}

/** Opens the store once, as a start would: then its schema is current, and no run is leased. */
async function settleLeft(file: string, clock: Clock): Promise<void> {
	if (existsSync(file)) {
		await using store = await openSqliteStore({clock}, {file});
		await store.takeOver();
	}
}

const lastOf = (source: DatabaseSync) =>
	source
		.prepare('select (select max(id) from delivery) as delivery, (select max(id) from run) as run')
		.get();

/** Where a copy begins: at the start for an empty database, where it was interrupted for one with the same copy. Gateways that would join check the marker under the same lock. */
async function begin(database: Database, source: string): Promise<Marker> {
	return database.transact(async transaction => {
		await refuseMembers(transaction, database);
		const [row] = await transaction.query(
			`select data from memo where kind = '${markerKind}' for update`,
		);
		if (row) {
			const marker = jsonOf<Marker>(row['data']);
			if (marker.source !== source) {
				throw new SvcError(
					'store_not_empty',
					`Cannot copy into ${database.name}: a copy of something else broke off there, or the home has changed since. Drop the database, create it anew, and begin again`,
				);
			}

			return marker;
		}

		const tables = await tablesOf(transaction);
		for (const table of tables.filter(name => !passing.has(name))) {
			// oxlint-disable-next-line no-await-in-loop -- one connection
			const found = await transaction.query(`select 1 from "${table}" limit 1`);
			if (found.length > 0) {
				throw new SvcError(
					'store_not_empty',
					`Cannot copy into ${database.name}: its table "${table}" is not empty. Take an empty database`,
				);
			}
		}

		const marker: Marker = {source, done: 0};
		await transaction.run(
			`insert into memo (id, kind, name, data) values (0, '${markerKind}', 'to', $1)`,
			[JSON.stringify(marker)],
		);
		return marker;
	}, 'members');
}

/** Makes sure that numbers assigned by SQLite are not reused. */
async function setSequences(database: Database, source: DatabaseSync | undefined): Promise<void> {
	const given = new Map(
		source
			?.prepare('select name, seq from sqlite_sequence')
			.all()
			.map(row => [textOf(row['name']), integerOf(row['seq'])]),
	);
	for (const [table, column] of numbered) {
		// oxlint-disable-next-line no-await-in-loop -- a few
		await database.query(
			`select setval(pg_get_serial_sequence('${table}', '${column}'), greatest(last, 1), last > 0)
			from (select greatest((select max(${column}) from ${table}), $1::bigint, 0) as last) as numbers`,
			[given.get(table) ?? 0],
		);
	}
}
