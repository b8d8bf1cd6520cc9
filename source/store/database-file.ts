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
 * URL to open a database read-only without side files: SQLite makes them for a file that is not open elsewhere, and leaves them. A process that has it open has made them already.
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

/** The file system is asked no more often, milliseconds. */
const minPauseMs = 1000;

/**
 * A function that says why nothing may be written any more: the open database is no longer the file at its path, so the next process would not find what is written now. It stays so
 * until the store is opened again. When it notices, it empties the log beside the database into it: the file that was moved is whole then, and the log does not spoil the one that
 * took its place.
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
			// The content of the log stays there.
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
/** What the disk has to have beside the reserve, before the reserve is taken. */
const minRoomBytes = 1024 * 1024;
/** With less, a disk counts as full: the side files of SQLite take as much. */
const fullBelowBytes = 128 * 1024;
const privateFile = 0o600;

/** Space that is kept back for the moment when the disk is full: deleting rows needs some, too, and so does a start. */
export type Reserve = {
	/** Takes the space, if it is not taken yet and there is enough. */
	ensure(): void;
	/** Gives the space back; `false` when there was none to give. */
	release(): boolean;
};

/** A file of 4 MiB beside the database `file`. A disk that has no room for it is no error: there is then no reserve. */
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

/** What `task` returns. When a full disk stops it, the reserve of the database `file` is given up, and it begins anew: it must leave nothing behind when it throws. */
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

/** The same for a task that commits: when a full disk stops it, it begins anew without the reserve. */
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

/** Whether `error`, or its cause, comes from a full disk below `file`. SQLite has other words for it where it makes the files beside the database. */
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

/** Bytes that this user may still write. */
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
		// Writes one small buffer many times: a buffer of megabytes outside the heap would make V8 run a full garbage collection.
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

/** How long a reader may take that has the database open while the store is being opened, milliseconds; nothing else happens meanwhile. */
const readerMs = 2000;

/**
 * Makes this process the only one that writes the database at `file`, for as long as it holds what this returns. A lock file beside the database says so; where there was none, a person
 * may have removed that of a live process, so the database itself is tested for other connections, for up to `waitMs` milliseconds that block the event loop. Its folder must exist.
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
		// The next process must not rely on it.
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
