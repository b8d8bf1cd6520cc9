import {closeSync, existsSync, openSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {versionOf} from './migrations.ts';
import {storeUnreadable} from './sqlite-errors.ts';

/** How long a copy waits for a gateway that is writing, milliseconds; it does not block that gateway. */
const busyTimeoutMs = 10_000;

/**
 * Writes a snapshot of a store to the new file `to` (0600), even while another process writes the store. `false` when `file` does not exist.
 *
 * @throws SvcError `store_unreadable`, `store_too_new`, and what Node throws for `to`
 */
export function copyStore(file: string, to: string): boolean {
	if (!existsSync(file)) {
		return false;
	}

	// SQLite fills an existing empty file and keeps its mode.
	closeSync(openSync(to, 'wx', 0o600));
	try {
		using database = new DatabaseSync(file, {readOnly: true, timeout: busyTimeoutMs});
		if (versionOf(database, file) === 0) {
			return false;
		}

		database.prepare('vacuum into ?').run(to);
		return true;
	} catch (error) {
		throw storeUnreadable(file, error);
	}
}

/** Makes sure that this program can open a copy. @throws SvcError `store_unreadable`, `store_too_new` */
export function checkCopy(file: string): void {
	try {
		using database = new DatabaseSync(file, {readOnly: true});
		versionOf(database, file);
		const [row] = database.prepare('pragma quick_check(1)').all();
		if (row?.['quick_check'] !== 'ok') {
			throw new Error('the file is damaged');
		}
	} catch (error) {
		throw storeUnreadable(file, error);
	}
}
