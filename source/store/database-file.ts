import {
	existsSync,
	statSync,
	closeSync,
	constants,
	fsyncSync,
	openSync,
	rmSync,
	statfsSync,
	writevSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {pathToFileURL} from 'node:url';
import {codeOf, SvcError} from '../core/errors.ts';
import {lockFile, type FileLock} from '../core/file-lock.ts';
import {lockHolder} from '../core/lock-holder.ts';
import {identityOf, ownFileFlags, refuseSymlink} from '../core/own-files.ts';
import type {StoreParts} from './parts.ts';
import {isFull, isBusy} from './sqlite-errors.ts';

/**
 * URL for opening a database read-only without side files: for a file that is not open elsewhere, SQLite would create them and leave them. If another process has it open,
 * they already exist.
 *
 * @see https://sqlite.org/uri.html#uriimmutable
 */
export function immutableDatabaseUrl(file: string): URL {
	const url = pathToFileURL(file);
	const isOpen = existsSync(`${file}-shm`);
	const hasMore = (statSync(`${file}-wal`, {throwIfNoEntry: false})?.size ?? 0) > 0;
	if (!isOpen && !hasMore) {
		url.searchParams.set('immutable', '1');
	}

	return url;
}

/** Shortest time between two checks of the file system, milliseconds. */
const minPauseMs = 1000;

/**
 * Returns a function that says why nothing may be written any more: the open database is no longer the file at its path, so the next process would not find new writes.
 * That stays so until the store is opened again. When it notices, it checkpoints the write-ahead log into the database: the moved file is then complete, and the log does
 * not corrupt the file that took its place.
 */
export function createMovedCheck(
	{database, clock}: Pick<StoreParts, 'clock' | 'database'>,
	{file}: {readonly file: string},
): () => string | undefined {
	const opened = identityOf(file);
	let moved: string | undefined;
	let askedAt = clock.monotonic();

	const ask = () => {
		askedAt = clock.monotonic();
		const found = identityOf(file);
		if (found === opened || found === undefined || opened === undefined) {
			return undefined;
		}

		try {
			database.exec('pragma wal_checkpoint(truncate)');
		} catch {
			// The checkpoint failed: the content of the log stays there.
		}

		const what = found === 'none' ? 'moved away or removed' : 'replaced by another file';
		return `it was ${what} while the gateway runs: stop the gateway, put the right file there, start again`;
	};

	return () => {
		if (moved === undefined && clock.monotonic() - askedAt >= minPauseMs) {
			moved = ask();
		}

		return moved;
	};
}

const reserveBytes = 4 * 1024 * 1024;
const partBytes = 64 * 1024;
/** Free space required beside the reserve before the reserve is taken, bytes. */
const minRoomBytes = 1024 * 1024;
/** With less free space a disk counts as full, bytes: SQLite's side files need as much. */
const fullBelowBytes = 128 * 1024;
const privateFile = 0o600;

/** Disk space held back for when the disk is full: deleting rows and starting need some, too. */
export type Reserve = {
	/** Takes the space, unless it is already taken or the disk has too little. */
	ensure(): void;
	/** Frees the space; `false` when none was taken. */
	release(): boolean;
};

/** A reserve file of 4 MiB beside the database `file`. If the disk has no room for it, there is no reserve, without an error. */
export function createReserve(file: string): Reserve {
	const path = `${file}.reserve`;
	const release = () => {
		const existed = statSync(path, {throwIfNoEntry: false}) !== undefined;
		rmSync(path, {force: true});
		return existed;
	};

	return {
		release,
		ensure() {
			if (statSync(path, {throwIfNoEntry: false})?.size === reserveBytes) {
				return;
			}

			release();
			try {
				if (roomBeside(path) >= reserveBytes + minRoomBytes) {
					fill(path);
				}
			} catch {
				release();
			}
		},
	};
}

/** Runs `task`. If a full disk stops it, frees the reserve of the database `file` and runs it again: it must leave nothing behind when it throws. */
export function withReserve<Result>(file: string, task: () => Result): Result {
	try {
		return task();
	} catch (error) {
		if (!lacksRoom(file, error) || !createReserve(file).release()) {
			throw error;
		}

		return task();
	}
}

/** Like {@link withReserve} for a task that commits. */
export async function givingReserve<Result>(
	reserve: Pick<Reserve, 'release'>,
	task: () => Promise<Result>,
): Promise<Result> {
	try {
		return await task();
	} catch (error) {
		if (!(error instanceof Error && isFull(error.cause)) || !reserve.release()) {
			throw error;
		}

		return task();
	}
}

/** Whether `error`, or its cause, is due to a full disk below `file`. SQLite reports other errors when it cannot create its side files. */
export function lacksRoom(file: string, error: unknown): boolean {
	if (isFull(error) || codeOf(error) === 'ENOSPC') {
		return true;
	}

	if (error instanceof Error && error.cause !== undefined) {
		return lacksRoom(file, error.cause);
	}

	try {
		return codeOf(error) === 'ERR_SQLITE_ERROR' && roomBeside(file) < fullBelowBytes;
	} catch {
		return false;
	}
}

/** Bytes that this user may still write to the disk. */
function roomBeside(file: string): number {
	const {bavail, bsize} = statfsSync(dirname(file));
	return bavail * bsize;
}

function fill(file: string): void {
	const descriptor = openSync(
		file,
		constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | ownFileFlags(file),
		privateFile,
	);
	try {
		// Writes one small buffer many times: a buffer of megabytes outside the heap would trigger a full garbage collection in V8.
		const part = new Uint8Array(partBytes);
		const parts = Array.from({length: reserveBytes / partBytes}, () => part);
		if (writevSync(descriptor, parts) < reserveBytes) {
			throw new Error('no room for the reserve');
		}

		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** How long to wait for a reader that has the database open, milliseconds; blocks the thread. */
const readerMs = 2000;

/**
 * Makes this process the only writer of the database at `file`, until the returned lock is released. The lock is a file beside the database. If that did not exist, a
 * person may have removed the one of a live process, so the database itself is tested for other connections, which blocks the event loop for up to `waitMs` milliseconds.
 * The folder must exist.
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
		// The next process must not rely on this lock file.
		rmSync(path, {force: true});
		lock[Symbol.dispose]();
		throw inUse(file, lockHolder(file));
	}

	return lock;
}

/** The lock file of the writer of the database at `file`. */
export const lockPathOf = (file: string): string => `${file}.lock`;

/** Whether another connection exists: each connection to a database with a write-ahead log holds a shared lock until it closes, so only a sole connection gets an exclusive one. */
function isOpenElsewhere(file: string, waitMs: number): boolean {
	const database = new DatabaseSync(file, {timeout: waitMs});
	try {
		database.exec('pragma locking_mode = exclusive');
		database.prepare('select count(*) from sqlite_schema').get();
		return false;
	} catch (error) {
		// Opening the store reports any other error.
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
