import {mkdir} from 'node:fs/promises';
import {dirname} from 'node:path';
import {writePrivateFile} from '../../config/text-files.ts';
import type {Clock} from '../../core/clock.ts';
import {withFileLock} from '../../core/file-lock.ts';

/**
 * Replaces a private file (mode 0600) that other processes replace too: `make` returns the new contents, and can read the current ones under the lock.
 * `makesFolder`: pass false where a missing folder may mean that the home was moved away.
 *
 * @throws SvcError `lock_timeout`, `lock_failed`; and as the file system does
 */
export async function replaceShared(
	path: string,
	make: () => unknown,
	{clock, waitMs, makesFolder}: {clock: Clock; waitMs: number; makesFolder: boolean},
): Promise<void> {
	if (makesFolder) {
		await mkdir(dirname(path), {recursive: true, mode: 0o700});
	}

	const replace = async () => writePrivateFile(path, `${JSON.stringify(await make())}\n`);
	await withFileLock(`${path}.lock`, replace, {clock, waitMs});
}
