import type {SqliteStoreOptions} from './open-sqlite-store.ts';
import type {Store} from './port.ts';
import type {StoreReader} from './reader-port.ts';
import type {SqliteStoreDependencies} from './sqlite-store.ts';

/**
 * Opens a store for writing; what others left is for `Store.takeOver`. Which engine it is, is decided here alone, and that engine alone is loaded.
 *
 * @throws SvcError `store_unreadable`, `store_too_new`, `store_in_use` (by another process that writes it)
 */
export async function openStore(
	dependencies: SqliteStoreDependencies,
	options: SqliteStoreOptions,
): Promise<Store> {
	const {openSqliteStore} = await import('./open-sqlite-store.ts');
	return openSqliteStore(dependencies, options);
}

/**
 * Opens a store only to look, also while another process writes it. One that is missing, or was never filled, gives empty answers. `leavesNothing`: not even files beside it are made, for a short look.
 *
 * @throws SvcError `store_unreadable`, `store_too_new`
 */
export async function readStore(
	{file}: Pick<SqliteStoreOptions, 'file'>,
	options: {readonly leavesNothing?: boolean} = {},
): Promise<StoreReader> {
	const {openSqliteReader} = await import('./sqlite-reader.ts');
	return openSqliteReader(file, options);
}
