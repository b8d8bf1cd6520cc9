import {chmodSync, closeSync, existsSync, openSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {refusePlanted} from '../core/planted-file.ts';

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
		refusePlanted(path);
	}

	if (!existsSync(file)) {
		closeSync(openSync(file, 'wx', privateFile));
	}

	for (const path of filesOf(file).filter(existsSync)) {
		chmodSync(path, privateFile);
	}

	const database = new DatabaseSync(file, {timeout: busyTimeoutMs, defensive: true});
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
