import {existsSync, mkdirSync, renameSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {SvcError} from '../../core/errors.ts';
import {integerOf, textOf} from '../columns.ts';
import {migrate as migrateSqlite, signStore} from '../migrations.ts';
import {filesOf, openDatabase} from '../open-sqlite-store.ts';
import {createDatabase, type Database} from '../postgres/database.ts';
import {openPostgresStore} from '../postgres/open-postgres-store.ts';
import {migrate} from '../postgres/schema.ts';
import {
	compareCounts,
	type CopyCounts,
	type CopyEvents,
	type CopyWorld,
	countAll,
	refuseMembers,
} from './copy-counts.ts';
import {numbered, stepsToSqlite} from './copy-steps.ts';
import {copyPages, postgresOrigin, sqliteOrigin, sqliteWriter} from './ends.ts';

/**
 * Copies a PostgreSQL database on which no gateway runs into `state.db` of a home whose lock the caller holds: into a file beside it, which replaces it when complete. An
 * interrupted copy starts over. `complete` is called before the replacement.
 *
 * @throws SvcError `store_not_empty` for a file with something in it, `store_in_use` by members, `store_unreadable`, `journal_unavailable`
 */
export async function copyToSqlite(
	{clock, time, file, url}: CopyWorld,
	{onProgress, complete}: CopyEvents,
): Promise<CopyCounts> {
	refuseFilled(file);
	const database = createDatabase({clock, time}, {url});
	try {
		await migrate(database);
		await database.transact(async transaction => refuseMembers(transaction, database), 'members');
		await settleLeft({clock, time, url});
		const origin = postgresOrigin(url, database);
		const counts = await countAll(origin, stepsToSqlite);
		mkdirSync(dirname(file), {recursive: true, mode: 0o700});
		const copy = `${file}.copy`;
		removeStore(copy);
		{
			using target = openDatabase(copy);
			migrateSqlite(target, copy);
			signStore(target);
			const write = sqliteWriter(target);
			await copyPages(
				{origin, steps: stepsToSqlite, counts, begin: {done: 0}},
				async ({step, rows}) => {
					target.exec('begin immediate');
					write(step, rows);
					target.exec('commit');
				},
				onProgress,
			);
			await finish(target, database);
			await compareCounts(counts, sqliteOrigin(target), stepsToSqlite);
		}

		await complete();
		removeStore(file);
		renameSync(copy, file);
		return counts;
	} finally {
		await database.close();
	}
}

/** Takes over what crashed gateways left, as a start would. */
async function settleLeft({url, clock, time}: Omit<CopyWorld, 'file'>): Promise<void> {
	const name = 'migrate-store';
	await using store = await openPostgresStore({clock, time}, {url, node: name, place: name});
	await store.takeOver();
}

/** @throws SvcError `store_not_empty` */
function refuseFilled(file: string): void {
	if (!existsSync(file)) {
		return;
	}

	using database = new DatabaseSync(file, {readOnly: true});
	const tables = database
		.prepare(
			"select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'session_text%' and name <> 'usage'",
		)
		.all()
		.map(row => textOf(row['name']));
	const filled = tables.find(
		table =>
			database
				.prepare(
					`select 1 from "${table}" ${table === 'memo' ? "where kind <> 'program'" : ''} limit 1`,
				)
				.get() !== undefined,
	);
	if (filled !== undefined) {
		throw new SvcError(
			'store_not_empty',
			`Cannot copy into "${file}": its table "${filled}" is not empty. Move the file away, or take another home`,
		);
	}
}

function removeStore(file: string): void {
	for (const path of filesOf(file)) {
		rmSync(path, {force: true});
	}
}

/** Sets the sums that a store keeps of itself, and the last assigned numbers. */
async function finish(target: DatabaseSync, {query}: Database): Promise<void> {
	target.exec(`update usage set
		body_bytes = (select coalesce(sum(length(body)), 0) from delivery),
		deliveries = (select count(*) from delivery),
		runs = (select count(*) from run),
		run_claim_floor = (select coalesce(max(id), 0) from run)`);
	const known = target.prepare('delete from sqlite_sequence where name = ?');
	const note = target.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
	const counted = new Set(
		target
			.prepare("select name from sqlite_master where sql like '%autoincrement%'")
			.all()
			.map(row => textOf(row['name'])),
	);
	for (const [table, column] of numbered.filter(([name]) => counted.has(name))) {
		// oxlint-disable-next-line no-await-in-loop -- a few
		const [row] = await query(
			`select case when is_called then last_value else 0 end as last from ${table}_${column}_seq`,
		);
		known.run(table);
		note.run(table, integerOf(row?.['last']));
	}
}
