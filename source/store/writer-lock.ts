import {existsSync, rmSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {SvcError} from '../core/errors.ts';
import {lockFile, type FileLock} from '../core/file-lock.ts';
import {lockHolder} from '../core/lock-holder.ts';
import {refuseSymlink} from '../core/symlink-guard.ts';
import {isBusy} from './sqlite-errors.ts';

/** How long a reader may take that has the database open while the store is being opened, milliseconds; nothing else happens meanwhile. */
const readerMs = 2000;

/**
 * Makes this process the only one that writes the database at `file`, for as long as it holds what this returns. A lock file beside the database says so; where there was none, somebody
 * may have removed that of a process that lives, so the database itself is asked whether anybody has it open, for up to `waitMs` milliseconds that block the event loop. Its folder must exist.
 *
 * @throws SvcError `store_in_use` naming the process, `lock_failed`
 */
export function lockForWriting(
	file: string,
	{waitMs = readerMs}: {readonly waitMs?: number} = {},
): FileLock {
	refuseSymlink(file);
	const path = lockPathOf(file);
	const lock = lockFile(path);
	if (!lock) {
		throw inUse(file, lockHolder(path));
	}

	if (lock.isNew && existsSync(file) && isOpenElsewhere(file, waitMs)) {
		// The next one must not take it for one that it can rely on.
		rmSync(path, {force: true});
		lock[Symbol.dispose]();
		throw inUse(file, lockHolder(file));
	}

	return lock;
}

/** The file whose lock says who writes the database at `file`. */
export const lockPathOf = (file: string): string => `${file}.lock`;

/** Every connection to a database with a write-ahead log holds a shared lock on it until it closes, so an exclusive one is to be had by the only one. */
function isOpenElsewhere(file: string, waitMs: number): boolean {
	const database = new DatabaseSync(file, {timeout: waitMs});
	try {
		database.exec('pragma locking_mode = exclusive');
		database.prepare('select count(*) from sqlite_schema').get();
		return false;
	} catch (error) {
		// What else is wrong with it, opening the store says.
		return isBusy(error);
	} finally {
		database.close();
	}
}

const inUse = (file: string, pid: number | undefined): SvcError =>
	new SvcError(
		'store_in_use',
		`Cannot open the store "${file}": ${pid === undefined ? 'another process' : `process ${pid}`} has it open; a gateway is ended with "svc gateway stop" or by its process number, anything else has to close it`,
	);
