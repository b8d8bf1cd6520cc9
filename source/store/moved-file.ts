import {identityOf} from '../core/file-identity.ts';
import type {StoreParts} from './parts.ts';

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
			// What is in the log stays there.
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
