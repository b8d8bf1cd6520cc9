import {existsSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Clock} from '../../core/clock.ts';
import {withFileLock} from '../../core/file-lock.ts';
import {fileStem} from './grant-files.ts';

/** The tokens first: whoever looks meanwhile finds no login rather than half of one. The lock last, while it is held. */
const endings = ['.json', '.client.json', '.meta.json', '.cimd-off', '.lock'] as const;

/** A process that renews holds the lock for one request, which is bounded. */
const lockWaitMs = 60_000;

/**
 * Removes everything that is kept of a server's login. Waits for whoever renews it. Returns whether there was a login.
 *
 * @throws SvcError `lock_timeout`, `lock_failed`
 */
export async function forgetLogin(
	folder: string,
	{server, clock}: {readonly server: string; readonly clock: Clock},
): Promise<boolean> {
	const files = endings.map(ending => join(folder, `${fileStem(server)}${ending}`));
	const [tokens = '', ...others] = files;
	const lock = others.at(-1) ?? '';
	if (!files.some(file => existsSync(file))) {
		return false;
	}

	return withFileLock(
		lock,
		async () => {
			const had = existsSync(tokens);
			for (const file of files) {
				// A folder that somebody made in the place of one must not keep the others.
				// oxlint-disable-next-line no-await-in-loop -- in their order
				await rm(file, {force: true, recursive: true});
			}

			return had;
		},
		{waitMs: lockWaitMs, clock},
	);
}
