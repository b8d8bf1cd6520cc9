import {closeSync, openSync, realpathSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {sleep, type Clock} from './clock.ts';
import {codeOf, messageOf, SvcError} from './errors.ts';

const retryMs = 15;
const sqliteBusy = 5;

/**
 * Locks that this process holds, or is about to. Two traps: the kernel gives up all locks of a process on a file when the
 * process closes any descriptor of that file, so a second try from here must not even open it; and a database that nobody
 * refers to is collected, closed, and its lock with it.
 */
const held = new Map<string, DatabaseSync | undefined>();

/**
 * Takes an exclusive lock that lives until it is disposed of or the process ends, however it ends: the kernel holds
 * it, through SQLite's file locks. `path` (its folder must exist) is created with 0600 when it is not there, never
 * removed, and belongs to the lock alone. `undefined`: somebody holds it, in another process or in this one.
 *
 * @throws SvcError `lock_failed` when the file cannot be used as a lock.
 */
export function lockFile(path: string): Disposable | undefined {
	const key = identify(path);
	if (held.has(key)) {
		return undefined;
	}

	held.set(key, undefined);
	try {
		createPrivately(key);
		const database = openLocked(key);
		if (!database) {
			held.delete(key);
			return undefined;
		}

		held.set(key, database);
		return {[Symbol.dispose]: () => release(key, database)};
	} catch (error) {
		held.delete(key);
		throw failure(path, error);
	}
}

/**
 * Runs `task` while this process alone holds the lock at `path`; tries again for up to `waitMs` when it is held.
 * For short critical sections.
 *
 * @throws SvcError `lock_timeout` when it stays held, `lock_failed` as `lockFile` does.
 */
export async function withFileLock<T>(
	path: string,
	task: () => T | Promise<T>,
	{waitMs, clock}: {readonly waitMs: number; readonly clock: Clock},
): Promise<T> {
	const deadline = clock.monotonic() + waitMs;
	for (;;) {
		using lock = lockFile(path);
		if (lock) {
			// oxlint-disable-next-line no-await-in-loop -- the task ends the loop
			return await task();
		}

		if (clock.monotonic() >= deadline) {
			throw new SvcError(
				'lock_timeout',
				`Cannot lock "${path}" within ${waitMs} ms: another process holds it, try again`,
			);
		}

		// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
		await sleep(clock, retryMs);
	}
}

function release(key: string, database: DatabaseSync): void {
	if (database.isOpen) {
		database.close();
		held.delete(key);
	}
}

const failure = (path: string, error: unknown) =>
	new SvcError('lock_failed', `Cannot use "${path}" as a lock file: ${messageOf(error)}`, {
		cause: error,
	});

/** One name for one file, whatever links lead to its folder. */
function identify(path: string): string {
	try {
		return join(realpathSync(dirname(path)), basename(path));
	} catch (error) {
		throw failure(path, error);
	}
}

function createPrivately(path: string): void {
	try {
		// `wx` opens nothing that exists; see `held`.
		closeSync(openSync(path, 'wx', 0o600));
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') {
			throw error;
		}
	}
}

function openLocked(path: string): DatabaseSync | undefined {
	const database = new DatabaseSync(path, {timeout: 0});
	try {
		// The journal stays in memory: nothing is ever written, and no second file lies about.
		database.exec('PRAGMA journal_mode=MEMORY');
		database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
		return database;
	} catch (error) {
		database.close();
		if (isBusy(error)) {
			return undefined;
		}

		throw error;
	}
}

const isBusy = (error: unknown): boolean =>
	error instanceof Error &&
	'errcode' in error &&
	typeof error.errcode === 'number' &&
	(error.errcode & 0xff) === sqliteBusy;
