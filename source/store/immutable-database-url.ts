import {existsSync, statSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

/**
 * Where to open a database only to look, so that SQLite makes no files beside it: it makes them for a file that nobody has open, and leaves them. Whoever has one open has made them.
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
