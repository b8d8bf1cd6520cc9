import {closeSync, existsSync, openSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {versionOf} from './migrations.ts';
import {storeUnreadable} from './sqlite-errors.ts';

/** A copy neither blocks a gateway that writes, nor waits for it longer than this, milliseconds. */
const busyTimeoutMs = 10_000;

/**
 * Writes a store as it is at this moment into the new file `to`, 0600, while another process may be writing it. `false` when there is none at `file`.
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
