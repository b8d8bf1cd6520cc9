import {randomBytes} from 'node:crypto';
import {constants, statSync} from 'node:fs';
import {appendFile, chmod, rename, stat, chown, open, realpath, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {createKeyedMutex} from './mutex.ts';
import {ownFileFlags} from './symlink-guard.ts';

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** How much a file of lines may take. */
export type LineFileOptions = {
	/** Above this size the file is set aside, bytes. */
	readonly maxBytes: number;
	/** How many files that were set aside are kept: `.1` is the newest. */
	readonly kept: number;
	/** Lines that may wait for the disk; what comes then is lost. */
	readonly maxBacklog: number;
	/** The line that says how many were lost. */
	readonly describeLost: (lines: number) => string;
};

type LineFile = AsyncDisposable & {
	/** Returns at once; never throws. `line` holds no line break. */
	write(line: string): void;
};

/**
 * Appends lines to a file (0600), in order. A disk that fails or is slow loses lines, counted in the next line that can be written; it stops nobody. Disposal waits
 * for the disk.
 */
export function createLineFile(
	path: string,
	{maxBytes, kept, maxBacklog, describeLost}: LineFileOptions,
): LineFile {
	let waiting: string[] = [];
	let lost = 0;
	let bytes: number | undefined;
	let writing: Promise<void> | undefined;

	const flush = async () => {
		while (waiting.length > 0) {
			const lines = waiting;
			waiting = [];
			// One write after the other keeps the order.
			// oxlint-disable-next-line no-await-in-loop
			await append(lines);
		}

		writing = undefined;
	};

	const append = async (lines: readonly string[]) => {
		// More may get lost while this is written.
		const told = lost;
		const text = [...(told > 0 ? [describeLost(told)] : []), ...lines, ''].join('\n');
		try {
			const flag = appending | ownFileFlags(path);
			bytes ??= await sizeOf(path);
			if (bytes > maxBytes) {
				await setAside(path, kept);
				bytes = 0;
			}

			await appendFile(path, text, {mode: 0o600, flag});
			bytes += Buffer.byteLength(text);
			lost -= told;
		} catch {
			// There is nowhere left to say it but the file itself, later.
			lost += lines.length;
		}
	};

	return {
		write(line) {
			if (waiting.length >= maxBacklog) {
				lost++;
				return;
			}

			waiting.push(line);
			writing ??= flush();
		},
		async [Symbol.asyncDispose]() {
			await writing;
		},
	};
}

async function sizeOf(path: string): Promise<number> {
	try {
		await chmod(path, 0o600);
		return (await stat(path)).size;
	} catch {
		return 0;
	}
}

async function setAside(path: string, kept: number): Promise<void> {
	for (let older = kept; older > 1; older--) {
		// oxlint-disable-next-line no-await-in-loop -- the oldest makes room first
		await rename(`${path}.${older - 1}`, `${path}.${older}`).catch(() => {});
	}

	await rename(path, `${path}.1`);
}

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

/** Which file is at a path, whatever it is called: `none` when there is no file, `undefined` when nobody can tell. */
export function identityOf(file: string): string | undefined {
	try {
		const found = statSync(file, {bigint: true, throwIfNoEntry: false});
		return found ? `${found.dev} ${found.ino}` : 'none';
	} catch {
		return undefined;
	}
}
