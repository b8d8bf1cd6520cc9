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

/** How long a call blocks the event loop for another process's lock, milliseconds; longer waits use timers. @see createGroupCommit */
const busyTimeoutMs = 50;

/**
 * `synchronous=full`: a commit is on the disk, not only in the page cache. A payload of 7 KB fills one page of 8 KiB instead of two of 4, which saves a fifth of the cost
 * of an accepted event. Checkpoints of 1.2 MiB block the event loop for about 4 ms, those of the default size for 20. The log of a burst is truncated to 16 MiB.
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
	/** Path of the database; its folder is created with mode 0700. */
	readonly file: string;
	/** Maximum size in pages of 8 KiB; unlimited when absent. */
	readonly maxPages?: number;
	/** Identifiers of the last hour kept in memory before they are sorted into their table; 32,768 when absent, about 5 MB. */
	readonly freshKeys?: number;
	/** Name of the gateway among those on the store; the host name when absent. */
	readonly node?: string;
};

/**
 * Opens the embedded store: one SQLite file, written by this process only, with every acknowledged write synced to the disk.
 *
 * @throws SvcError `store_unreadable` (damaged, no database, not accessible, locked), `store_too_new`, `store_in_use` (by another process that writes it)
 */
export async function openSqliteStore(
	dependencies: SqliteStoreDependencies,
	options: SqliteStoreOptions,
): Promise<Store> {
	const {file} = options;
	try {
		// On a full disk the reserve is freed, and opening starts over.
		return withReserve(file, () => openOnce(dependencies, options));
	} catch (error) {
		throw storeUnreadable(file, error, {isFull: lacksRoom(file, error)});
	}
}

/** Opens a store step by step: the lock of the only writer, the file, its schema, the state in memory, and the parts that work on it. */
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

/** The files of a database, including those that SQLite creates beside it. */
export const filesOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

/**
 * Opens the database for its only writing process, creating it if necessary: with mode 0600 before it contains anything (SQLite gives its side files the database's mode).
 * `maxPages` limits its size in pages of 8 KiB. Throws what Node and SQLite throw.
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
