import {hostname} from 'node:os';
import {systemClock} from '../core/clock.ts';
import type {OnBroken} from './broken-rows.ts';
import type {SqliteStoreOptions} from './open-sqlite-store.ts';
import type {Store} from './port.ts';
import type {PostgresStoreOptions} from './postgres/open-postgres-store.ts';
import type {StoreReader} from './reader-port.ts';
import type {SqliteStoreDependencies} from './sqlite-store.ts';

/** Selects the store: the file, or with `url` a PostgreSQL database. When absent, `node` is the host name, and `place` the path of the file. */
type StoreOptions = SqliteStoreOptions & Partial<PostgresStoreOptions>;

/**
 * Opens a store for writing; `Store.takeOver` handles what dead gateways left. Only here is the engine chosen, and only that engine is loaded.
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
 * Opens a store only for reading, even while another process writes it. A missing or never filled store gives empty answers. `leavesNothing`: creates no side files either,
 * for a short read.
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
