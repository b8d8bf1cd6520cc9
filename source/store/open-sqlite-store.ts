import {chmodSync, closeSync, existsSync, mkdirSync, openSync} from 'node:fs';
import {dirname} from 'node:path';
import type {DatabaseSync} from 'node:sqlite';
import {refuseSymlink} from '../core/own-files.ts';
import {lacksRoom, withReserve, lockForWriting} from './database-file.ts';
import {StoreDatabase} from './engine.ts';
import {migrate, signStore} from './migrations.ts';
import {readMemory} from './opened-memory.ts';
import type {Store} from './port.ts';
import {storeUnreadable} from './sqlite-errors.ts';
import {createSqliteStore, type SqliteStoreDependencies} from './sqlite-store.ts';

const privateFile = 0o600;

/** How long a call blocks the event loop for a foreign lock, milliseconds; longer waits are timers. @see createGroupCommit */
const busyTimeoutMs = 50;

/**
 * `synchronous=full`: a commit is on the disk, not only in the page cache. A payload of 7 KB fills one page of 8 KiB and not two of 4, which saves a fifth of
 * an accept. Checkpoints of 1.2 MiB hold the loop for about 4 ms, with the default it is 20. The log of a burst is cut back to 16 MiB.
 */
const pragmas = `
	pragma page_size = 8192;
	pragma journal_mode = wal;
	pragma synchronous = full;
	pragma wal_autocheckpoint = 150;
	pragma journal_size_limit = 16777216;
	pragma cache_size = -16000;
	pragma temp_store = memory;
	pragma trusted_schema = off;
`;

export type SqliteStoreOptions = {
	/** Path of the database; its folder is created, 0700. */
	readonly file: string;
	/** Bound of its size, in pages of 8 KiB; none when absent. */
	readonly maxPages?: number;
	/** Identifiers of one hour that are kept in memory before they are sorted into their table, 32,768 when absent: about 5 MB. */
	readonly freshKeys?: number;
	/** How the gateway is called among those on the store; the name of the host when absent. */
	readonly node?: string;
};

/**
 * Opens the embedded store: one SQLite file, written by this process alone, every acknowledged write synced to the disk.
 * @throws SvcError `store_unreadable` (damaged, no database, not accessible, locked), `store_too_new`, `store_in_use` (by another process that writes it)
 */
export async function openSqliteStore(
	dependencies: SqliteStoreDependencies,
	options: SqliteStoreOptions,
): Promise<Store> {
	const {file} = options;
	try {
		// A disk that is full gives its reserve back, and the opening begins again.
		return withReserve(file, () => openOnce(dependencies, options));
	} catch (error) {
		throw storeUnreadable(file, error, {isFull: lacksRoom(file, error)});
	}
}

/** The way to a store, in order: the only writer, the file, its schema, what is kept of it in memory, and the parts that work on it. */
function openOnce(
	dependencies: SqliteStoreDependencies,
	{file, maxPages, freshKeys = 32_768, node}: SqliteStoreOptions,
): Store {
	mkdirSync(dirname(file), {recursive: true, mode: 0o700});
	const lock = lockForWriting(file);
	let database: DatabaseSync | undefined;
	try {
		database = openDatabase(file, maxPages === undefined ? {} : {maxPages});
		migrate(database, file);
		signStore(database);
		const memory = readMemory(database, dependencies.clock);
		return createSqliteStore({...dependencies, database, lock, memory}, {file, freshKeys, node});
	} catch (error) {
		database?.close();
		lock[Symbol.dispose]();
		throw error;
	}
}

/** The database and what SQLite keeps beside it. */
export const filesOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

/**
 * Opens the database for the one process that writes it, and creates it if need be: 0600 before anything is in it
 * (SQLite gives its side files the mode of the database). `maxPages` limits its size in pages of 8 KiB. Throws what Node and SQLite throw.
 */
export function openDatabase(
	file: string,
	{maxPages}: {readonly maxPages?: number} = {},
): DatabaseSync {
	for (const path of filesOf(file)) {
		refuseSymlink(path);
	}

	if (!existsSync(file)) {
		closeSync(openSync(file, 'wx', privateFile));
	}

	for (const path of filesOf(file).filter(existsSync)) {
		chmodSync(path, privateFile);
	}

	const database = new StoreDatabase(file, {timeout: busyTimeoutMs, defensive: true});
	try {
		database.exec(pragmas);
		if (maxPages !== undefined) {
			database.exec(`pragma max_page_count = ${Math.trunc(maxPages)}`);
		}

		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}
