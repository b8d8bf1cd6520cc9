import {hostname} from 'node:os';
import {systemClock} from '../core/clock.ts';
import type {OnBroken} from './broken-rows.ts';
import type {SqliteStoreOptions} from './open-sqlite-store.ts';
import type {Store} from './port.ts';
import type {PostgresStoreOptions} from './postgres/open-postgres-store.ts';
import type {StoreReader} from './reader-port.ts';
import type {SqliteStoreDependencies} from './sqlite-store.ts';

/** Which store is meant: the file, or with `url` a PostgreSQL database. When absent, `node` is the name of the host, and `place` the path of the file. */
type StoreOptions = SqliteStoreOptions & Partial<PostgresStoreOptions>;

/**
 * Opens a store for writing; `Store.takeOver` deals with what others left. The engine is chosen here only, and only that engine is loaded.
 *
 * @throws SvcError `store_unreadable`, `store_too_new`, `store_in_use` (by another process that writes it), `member_duplicate`, `cluster_full`, `journal_unavailable` (a database that does not answer)
 */
export async function openStore(
	dependencies: SqliteStoreDependencies & {readonly ending?: AbortSignal},
	{url, node = hostname(), place, location = '', ...options}: StoreOptions,
): Promise<Store> {
	if (url !== undefined) {
		const {openPostgresStore} = await import('./postgres/open-postgres-store.ts');
		return openPostgresStore(dependencies, {url, node, place: place ?? options.file, location});
	}

	const {openSqliteStore} = await import('./open-sqlite-store.ts');
	return openSqliteStore(dependencies, options);
}

/**
 * Opens a store only to look, also while another process writes it. One that is missing, or was never filled, gives empty answers. `leavesNothing`: not even files beside it are made, for a short look.
 *
 * @throws SvcError `store_unreadable`, `store_too_new`, `journal_unavailable`
 */
export async function readStore(
	{file, url}: Pick<StoreOptions, 'file' | 'url'>,
	options: {readonly leavesNothing?: boolean; readonly onBroken?: OnBroken} = {},
): Promise<StoreReader> {
	if (url !== undefined) {
		const {openPostgresReader} = await import('./postgres/postgres-reader.ts');
		return openPostgresReader({clock: systemClock, ...options}, {url});
	}

	const {openSqliteReader} = await import('./sqlite-reader.ts');
	return openSqliteReader(file, options);
}
