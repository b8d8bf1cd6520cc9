import {
	closeSync,
	constants,
	fsyncSync,
	openSync,
	rmSync,
	statfsSync,
	statSync,
	writevSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {codeOf} from '../core/errors.ts';
import {ownFileFlags} from '../core/symlink-guard.ts';
import {isFull} from './sqlite-errors.ts';

const reserveBytes = 4 * 1024 * 1024;
const partBytes = 64 * 1024;
/** What the disk has to have beside the reserve, before the reserve is taken. */
const minRoomBytes = 1024 * 1024;
/** With less, a disk is full: what SQLite keeps beside a database takes as much. */
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

/** The same for what a commit makes: what `task` resolves to, which begins anew without the reserve when a full disk stopped it. */
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
		// One part many times over: megabytes beside the heap would make V8 collect all of it.
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
