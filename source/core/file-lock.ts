import {closeSync, mkdirSync, openSync, realpathSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {sleep, type Clock} from './clock.ts';
import {codeOf, messageOf, SvcError} from './errors.ts';
import type {Logger} from './log.ts';
import {identityOf, refuseSymlink} from './own-files.ts';

const retryMs = 15;
const sqliteBusy = 5;

/**
 * Locks that this process holds or is taking. Never open a file listed here: closing any descriptor of a file makes the
 * kernel release all locks of the process on it. The databases must stay referenced: garbage collection would
 * close them and release their locks.
 */
const held = new Map<string, DatabaseSync | undefined>();

/** Result of checking a lock: still held, taken again after its file was removed, lost to another process, or its folder was replaced. */
export type LockKept = 'kept' | 'retaken' | 'lost' | 'moved';

export type FileLock = Disposable & {
	/** Whether the file did not exist. It may have been removed while another process still holds its lock. */
	readonly isNew: boolean;
	/**
	 * Checks that the file at the path is still the locked one: a lock on a removed file excludes no other process. A missing file is created and locked
	 * again, and so is its folder, except the folder `within`: another one may be about to be put in its place.
	 *
	 * @throws SvcError `lock_failed`
	 */
	keep(): LockKept;
};

/**
 * Takes an exclusive lock through SQLite's file locks. The kernel releases it at disposal or when the process ends,
 * even by a crash. The file at `path` (its folder must exist) serves as a lock only; it is created with 0600 when
 * missing, and never removed here. `within`: the folder that the lock protects, by default the folder of `path`.
 * Returns `undefined` if this or another process already holds the lock.
 *
 * @throws SvcError `lock_failed` when the file cannot be used as a lock.
 */
export function lockFile(
	path: string,
	{within = dirname(path)}: {readonly within?: string} = {},
): FileLock | undefined {
	const key = identify(path);
	if (held.has(key)) {
		return undefined;
	}

	held.set(key, undefined);
	try {
		const taken = take(key);
		if (!taken) {
			held.delete(key);
			return undefined;
		}

		return keeper(path, {key, within, ...taken});
	} catch (error) {
		held.delete(key);
		throw failure(path, error);
	}
}

function keeper(
	path: string,
	{
		key,
		within,
		isNew,
		...first
	}: {readonly key: string; readonly within: string; readonly isNew: boolean} & Taken,
): FileLock {
	let {database, identity} = first;
	const top = realpathSync(within);
	const topIdentity = identityOf(top);
	held.set(key, database);
	return {
		isNew,
		keep() {
			if (!database.isOpen || identityOf(key) === identity) {
				return 'kept';
			}

			if (identityOf(top) !== topIdentity) {
				return 'moved';
			}

			try {
				makeFolder(dirname(key));
				const next = take(key);
				if (!next) {
					return 'lost';
				}

				// The new lock is taken before the old one is released.
				database.close();
				({database, identity} = next);
				held.set(key, database);
				return 'retaken';
			} catch (error) {
				throw failure(path, error);
			}
		},
		[Symbol.dispose]() {
			if (database.isOpen) {
				database.close();
				held.delete(key);
			}
		},
	};
}

/** A function that checks the lock at `path`, logs each problem once, and returns whether the lock is held. `within`: as passed to `lockFile`. */
export function createLockWatch(
	lock: FileLock,
	{
		path,
		within = dirname(path),
		log,
	}: {readonly path: string; readonly within?: string; readonly log: Logger},
): () => boolean {
	const find = (): string => {
		try {
			const kept = lock.keep();
			if (kept === 'retaken') {
				log.warn(
					`Locked "${path}" again: the file was removed or replaced, and nobody held the new one`,
				);
			}

			return problems[kept]?.(path, within) ?? '';
		} catch (error) {
			return messageOf(error);
		}
	};

	let said = '';
	return () => {
		const problem = find();
		if (problem !== said && problem !== '') {
			log.error(problem);
		}

		said = problem;
		return problem === '';
	};
}

/** Why a lock is no longer held. */
const problems: Partial<Record<LockKept, (path: string, within: string) => string>> = {
	lost: path =>
		`Cannot lock "${path}" again: it was removed, and another process holds the new one; end that process`,
	moved: (path, within) =>
		`Cannot keep the lock "${path}": "${within}" was moved away, removed or replaced while the gateway runs; stop the gateway, put the right folder there, start again`,
};

/** Makes the folder, but none above it. */
function makeFolder(folder: string): void {
	try {
		mkdirSync(folder, {mode: 0o700});
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') {
			throw error;
		}
	}
}

/**
 * Runs `task` while this process alone holds the lock at `path`; tries again for up to `waitMs` while another task or process holds it.
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

const failure = (path: string, error: unknown) =>
	error instanceof SvcError
		? error
		: new SvcError('lock_failed', `Cannot use "${path}" as a lock file: ${messageOf(error)}`, {
				cause: error,
			});

/** The path with its folder's symbolic links resolved: one key per file. */
function identify(path: string): string {
	try {
		return join(realpathSync(dirname(path)), basename(path));
	} catch (error) {
		throw failure(path, error);
	}
}

type Taken = {readonly database: DatabaseSync; readonly identity: string | undefined};

/** Locks the file; `undefined` if another process holds the lock or has just replaced the file. */
function take(path: string): (Taken & {readonly isNew: boolean}) | undefined {
	refuseSymlink(path);
	const isNew = createPrivately(path);
	const identity = identityOf(path);
	const database = openLocked(path);
	if (database && identityOf(path) !== identity) {
		database.close();
		return undefined;
	}

	return database && {database, identity, isNew};
}

/** Creates the file with 0600; `false`: it exists already. */
function createPrivately(path: string): boolean {
	try {
		// `wx` never opens an existing file, whose lock `closeSync` might release: see `held`.
		closeSync(openSync(path, 'wx', 0o600));
		return true;
	} catch (error) {
		if (codeOf(error) === 'EEXIST') {
			return false;
		}

		throw error;
	}
}

function openLocked(path: string): DatabaseSync | undefined {
	const database = new DatabaseSync(path, {timeout: 0});
	try {
		// With the journal in memory no second file is created.
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
