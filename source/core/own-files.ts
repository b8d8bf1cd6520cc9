import {randomBytes} from 'node:crypto';
import {constants, statSync, lstatSync, type Stats} from 'node:fs';
import {appendFile, chmod, rename, stat, chown, open, realpath, rm} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import {SvcError} from './errors.ts';
import {createKeyedMutex} from './mutex.ts';

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Limits of a file of lines. */
export type LineFileOptions = {
	/** Size above which the file is rotated, bytes. */
	readonly maxBytes: number;
	/** Number of rotated files that are kept: `.1` is the newest. */
	readonly kept: number;
	/** Most lines that may wait for the disk; further lines are lost. */
	readonly maxBacklog: number;
	/** The line that reports the lost lines. */
	readonly describeLost: (lines: number) => string;
};

type LineFile = AsyncDisposable & {
	/** Returns at once; never throws. `line` holds no line break. */
	write(line: string): void;
};

/**
 * Appends lines to a file (0600), in order. Writers never wait: when the disk fails or is slow, lines are dropped, and the next written line reports their number. Disposal waits
 * until all pending lines are written.
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
			// One write after another keeps the order.
			// oxlint-disable-next-line no-await-in-loop
			await append(lines);
		}

		writing = undefined;
	};

	const append = async (lines: readonly string[]) => {
		// More lines may get lost during this write: subtract only the reported ones.
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
			// The loss can be reported only in the file itself, by a later write.
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

/** Serialises the writes to each file, in the order of the calls. */
const byPath = createKeyedMutex();

/**
 * Replaces or creates a file atomically: written beside it under another name, 0600 from the start, synced, renamed, and the folder synced; readers see the old
 * text or the new one. If `path` is a symbolic link, its target is replaced: the caller decides whether that is safe. When root writes, the file keeps its owner.
 *
 * Written here because packages for this open their temporary file under a guessable name and follow a link planted there.
 *
 * Rejects with the error of the file system; its `path` is the given one, not the temporary one.
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
			// `x`: fails if the name exists already, as for a planted file or link.
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
		// Errors would name the temporary file, which means nothing to people, or (of a write) no file.
		throw error instanceof Error ? Object.assign(error, {path, dest: undefined}) : error;
	}

	await syncFolder(dirname(target));
}

/** Syncs the folder, which makes a rename in it durable. */
async function syncFolder(folder: string): Promise<void> {
	await using handle = await open(folder, constants.O_RDONLY);
	await handle.sync();
}

/** Device and inode of the file at a path; `none` if there is no file, `undefined` if they cannot be read. */
export function identityOf(file: string): string | undefined {
	try {
		const found = statSync(file, {bigint: true, throwIfNoEntry: false});
		return found ? `${found.dev} ${found.ino}` : 'none';
	} catch {
		return undefined;
	}
}

const writeByOthers = 0o022;

/**
 * Refuses `path` if another user may have redirected writes to it. In a folder that only this user or root may write, a symbolic link owned by this user or root is accepted,
 * and so is a second hard link. Devices, pipes and sockets are refused; a missing file is accepted. The folders above are checked as by `refusePlantedFolder`.
 *
 * @throws SvcError `file_planted`
 */
export function refuseSymlink(path: string): void {
	refusePlantedFolder(dirname(path), `Cannot write "${path}"`);
	const found = lstatSync(path, {throwIfNoEntry: false});
	const reason = found && whyPlanted(path, found);
	if (reason !== undefined) {
		throw new SvcError(
			'file_planted',
			`Cannot write "${path}": ${reason}; look who put it there, remove it, and keep others out with chmod 700 "${dirname(path)}"`,
		);
	}
}

/**
 * Refuses `folder` (which need not exist) if another user may have redirected it: a symbolic link on its path or at its end must belong to this user or root,
 * and only they may write the link's parent folder. Links above the first folder that others may write are not checked: others cannot have planted them.
 * `failed`: the beginning of the message.
 *
 * @throws SvcError `file_planted`
 */
export function refusePlantedFolder(
	folder: string,
	failed = `Cannot use the folder "${folder}"`,
): void {
	const link = plantedLink(folder);
	if (link !== undefined) {
		throw new SvcError(
			'file_planted',
			`${failed}: "${link}" is a symbolic link, and other users may have made it; look who put it there, remove it, and keep others out with chmod 700 "${dirname(link)}"`,
		);
	}
}

/** The first link on the path of `folder` that others may have made. */
function plantedLink(folder: string): string | undefined {
	let isExposed = false;
	for (const path of wayTo(folder)) {
		const found = lstatSync(path, {throwIfNoEntry: false});
		const isLink = found?.isSymbolicLink() === true;
		if (isExposed && isLink && !(isOurs(found) && isPrivate(dirname(path)))) {
			return path;
		}

		const target = isLink ? statSync(path, {throwIfNoEntry: false}) : found;
		if (!target) {
			return undefined;
		}

		isExposed ||= isOurs(target) && isWritableByOthers(target);
	}

	return undefined;
}

/** The folder and its parent folders, starting at the root. */
function wayTo(folder: string): readonly string[] {
	const way = [resolve(folder)];
	for (let [path = ''] = way; dirname(path) !== path; path = dirname(path)) {
		way.unshift(dirname(path));
	}

	return way;
}

/** Additional flags to open `path` for writing, so that a link planted in the meantime is not followed and a pipe does not block. @throws as `refuseSymlink` */
export function ownFileFlags(path: string): number {
	refuseSymlink(path);
	const isLink = lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink() === true;
	const nofollow = isLink && isPrivate(dirname(path)) ? 0 : constants.O_NOFOLLOW;
	return nofollow | constants.O_NONBLOCK;
}

function whyPlanted(path: string, found: Stats): string | undefined {
	const isLink = found.isSymbolicLink();
	const target = isLink ? statSync(path, {throwIfNoEntry: false}) : found;
	// Folders pass this check: opening one for writing fails with a clear error.
	if (target && !target.isFile() && !target.isDirectory()) {
		return 'it is no regular file';
	}

	if (isLink && !(isOurs(found) && isPrivate(dirname(path)))) {
		return 'it is a symbolic link, and other users may have made it';
	}

	return found.isFile() && found.nlink > 1 && !isPrivate(dirname(path))
		? 'the file has a second name, and other users may have given it this one'
		: undefined;
}

function isPrivate(folder: string): boolean {
	const found = statSync(folder);
	return !isWritableByOthers(found) && isOurs(found);
}

const isWritableByOthers = ({mode}: Stats): boolean => (mode & writeByOthers) !== 0;

const isOurs = ({uid}: Stats): boolean => uid === 0 || uid === (process.getuid?.() ?? uid);
