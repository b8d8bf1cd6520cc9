import {randomBytes} from 'node:crypto';
import {constants} from 'node:fs';
import {chown, open, realpath, rename, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {createKeyedMutex} from './keyed-mutex.ts';

/** Writes of one file follow each other, as they were asked for. */
const byPath = createKeyedMutex();

/**
 * Replaces a file as a whole, or makes it: written beside it under another name, 0600 from its first moment, synced, renamed, and the folder synced; readers see the old
 * text or the new one. A link in its place stays, and its target is replaced: whether that may be is the caller's to say. The owner stays, where root writes.
 *
 * Ours, because the packages for this open their temporary file under a name that can be guessed, and through a link that somebody put there.
 *
 * Rejects as the file system does, with `path` for the path.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
	await byPath.runExclusive(path, async () => replace(path, content));
}

async function replace(path: string, content: string | Buffer): Promise<void> {
	const target = await realpath(path).catch(() => path);
	const owner = await stat(target).catch(() => undefined);
	const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
	try {
		{
			// `x`: the file is made here and now, whatever name somebody guessed.
			await using file = await open(temporary, 'wx', 0o600);
			await file.writeFile(content);
			await file.sync();
		}

		if (owner && process.getuid?.() === 0) {
			await chown(temporary, owner.uid, owner.gid);
		}

		await rename(temporary, target);
	} catch (error) {
		await rm(temporary, {force: true});
		// A name that is ours says nothing to anybody, and a failed write names none.
		throw error instanceof Error ? Object.assign(error, {path, dest: undefined}) : error;
	}

	await syncFolder(dirname(target));
}

/** The name is as durable as the bytes only after this. */
async function syncFolder(folder: string): Promise<void> {
	await using handle = await open(folder, constants.O_RDONLY);
	await handle.sync();
}
