import {randomBytes} from 'node:crypto';
import {constants} from 'node:fs';
import {type FileHandle, link, lstat, open, readdir, rename, rm} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {namePattern} from '../../config/home-paths.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {refuseSymlink} from '../../core/own-files.ts';
import {copyStore} from '../../store/copy-store.ts';
import {
	homeFiles,
	homeFolders,
	isStore,
	manifestName,
	maxFileBytes,
	maxArchiveMembers,
	storeName,
	whyNoMember,
} from './members.ts';
import {blockBytes, fitsHeader, tarHeaderOf, type ArchiveMember, paddingOf} from './tar-header.ts';

/** The result of a backup. */
export type Backup = {
	readonly file: string;
	readonly members: number;
	readonly bytes: number;
	/** Files left out although they are where members are. */
	readonly leftOut: readonly LeftOut[];
};

export type LeftOut = {
	/** Relative to the home. */
	readonly path: string;
	/** Part of a sentence: `it is a link`. */
	readonly reason: string;
};

/** The size of chunks for copying. */
const chunkBytes = 1024 * 1024;

type BackedUpHome = {
	readonly home: string;
	readonly profile: string;
	readonly version: string;
	/** Milliseconds since 1970. */
	readonly now: number;
};

/**
 * Writes a home into one archive (mode 0600), under a temporary name first. A gateway may be running: the journal is copied in a consistent snapshot, other files
 * as they are when their turn comes. Links in folders are not followed.
 *
 * @throws SvcError `backup_exists` unless `force`, `backup_failed`, `file_planted`, `store_unreadable`, `store_too_new`
 */
export async function createBackup(
	{home, profile, version, now}: BackedUpHome,
	{file: name, force}: {readonly file: string; readonly force: boolean},
): Promise<Backup> {
	const file = resolve(name);
	if (!force && (await lstat(file).catch(() => undefined))) {
		throw exists(file);
	}

	refuseSymlink(file);
	const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
	const copy = `${temporary}.db`;
	const leftOut: LeftOut[] = [];
	let members = 0;
	try {
		let bytes: number;
		{
			await using archive = await open(temporary, 'wx', 0o600);
			const manifest = {format: 1, version, profile, at: new Date(now).toISOString()};
			await addBytes(archive, manifestName, {
				content: Buffer.from(`${JSON.stringify(manifest)}\n`),
				now,
			});
			for (const folder of ['', ...(await profilesIn(home))]) {
				// oxlint-disable-next-line no-await-in-loop -- one file after the other goes into the archive
				members += await addHome(archive, {home, folder, copy, leftOut});
			}

			if (members === 0 || members > maxArchiveMembers) {
				throw new SvcError(
					'backup_failed',
					`Cannot back up "${home}": it has ${members === 0 ? 'nothing that a backup has' : `more than ${maxArchiveMembers} files`}`,
				);
			}

			await archive.writeFile(Buffer.alloc(2 * blockBytes));
			await archive.sync();
			({size: bytes} = await archive.stat());
		}

		await putInPlace(temporary, file, force);
		return {file, members, bytes, leftOut};
	} catch (error) {
		throw error instanceof SvcError
			? error
			: new SvcError('backup_failed', `Cannot write the backup "${file}": ${messageOf(error)}`, {
					cause: error,
				});
	} finally {
		await rm(temporary, {force: true});
		await rm(copy, {force: true});
	}
}

/** Moves the archive to its name; without `force`, never over a file created meanwhile. */
async function putInPlace(temporary: string, file: string, force: boolean): Promise<void> {
	if (force) {
		await rename(temporary, file);
		return;
	}

	try {
		await link(temporary, file);
	} catch (error) {
		throw codeOf(error) === 'EEXIST' ? exists(file) : error;
	}
}

const exists = (file: string) =>
	new SvcError(
		'backup_exists',
		`Cannot write the backup "${file}": it exists; --force replaces it`,
	);

/** `profiles/NAME` for each real folder, not links. */
async function profilesIn(home: string): Promise<readonly string[]> {
	const entries = await readdir(join(home, 'profiles'), {withFileTypes: true}).catch(() => []);
	return entries
		.filter(entry => entry.isDirectory() && namePattern.test(entry.name))
		.map(entry => `profiles/${entry.name}`)
		.toSorted();
}

/** Adds the home, or one of its profiles; returns the number of files. */
async function addHome(
	archive: FileHandle,
	{home, folder, copy, leftOut}: {home: string; folder: string; copy: string; leftOut: LeftOut[]},
): Promise<number> {
	const inHome = (path: string) => (folder === '' ? path : `${folder}/${path}`);
	let members = 0;
	const add = async (path: string, from: string, mayBeLink = false) => {
		const reason = await addFile(archive, {path, from, mayBeLink});
		if (reason === undefined) {
			members += 1;
		} else {
			leftOut.push({path, reason});
		}
	};

	for (const path of homeFiles.map(inHome)) {
		const from = join(home, path);
		// oxlint-disable-next-line no-await-in-loop -- one file after the other goes into the archive
		if (await lstat(from).catch(() => undefined)) {
			// Follows links, as dotfile managers make them, but refuses one that another user could have made.
			refuseSymlink(from);
			// oxlint-disable-next-line no-await-in-loop -- as above
			await add(path, from, true);
		}
	}

	for (const path of homeFolders.map(inHome)) {
		// oxlint-disable-next-line no-await-in-loop -- as above
		for (const found of await filesBelow(home, path)) {
			// oxlint-disable-next-line no-await-in-loop -- as above
			await add(found, join(home, found));
		}
	}

	const store = join(home, inHome(storeName));
	if (copyStore(store, copy)) {
		await add(inHome(storeName), copy);
	}

	await rm(copy, {force: true});
	return members;
}

/** All files below a folder, in order. A link in place of a folder counts as a file. */
async function filesBelow(home: string, path: string): Promise<readonly string[]> {
	const found = await lstat(join(home, path)).catch(() => undefined);
	if (!found?.isDirectory()) {
		return found || isGarbled(path) ? [path] : [];
	}

	const below = await Promise.all(
		(await readdir(join(home, path)))
			.toSorted()
			.map(async name => filesBelow(home, `${path}/${name}`)),
	);
	return below.flat();
}

/** Whether Node could not decode the name: such a file seems missing, but must be reported. */
const isGarbled = (path: string): boolean => path.includes('\u{FFFD}');

const noPlainFile = 'it is no plain file';
const nothingThere = 'nothing is there: it went away, or is a link that leads nowhere';

/** Error codes of files that cannot be opened, with reasons. */
const unreadable: Readonly<Record<string, string>> = {
	ELOOP: 'it is a link',
	ENXIO: noPlainFile,
	ENOENT: nothingThere,
};

/** Adds a file. Returns the reason if it was left out, because it could not be restored, or is no regular file. */
async function addFile(
	archive: FileHandle,
	{path, from, mayBeLink}: {path: string; from: string; mayBeLink: boolean},
): Promise<string | undefined> {
	// A pipe in its place must not block.
	const flags = constants.O_RDONLY | constants.O_NONBLOCK | (mayBeLink ? 0 : constants.O_NOFOLLOW);
	let opened: FileHandle;
	try {
		opened = await open(from, flags);
	} catch (error) {
		const reason = unreadable[codeOf(error)];
		if (reason === undefined) {
			throw error;
		}

		return reason === nothingThere && isGarbled(path) ? 'its name is no UTF-8' : reason;
	}

	await using file = opened;
	const {size: bytes, mode, mtimeMs: modifiedAt, ...found} = await file.stat();
	if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
		return noPlainFile;
	}

	const reason = found.nlink === 0 ? nothingThere : whyNotRestored(path, bytes);
	if (reason !== undefined) {
		return reason;
	}

	const member: ArchiveMember = {path, bytes, executable: (mode & 0o100) !== 0, modifiedAt};
	await archive.writeFile(tarHeaderOf(member));
	for (let left = bytes; left > 0;) {
		// oxlint-disable-next-line no-await-in-loop -- one chunk after the other
		const {bytesRead, buffer} = await file.read({buffer: Buffer.alloc(Math.min(left, chunkBytes))});
		if (bytesRead === 0) {
			throw new SvcError('backup_failed', `Cannot back up "${path}": it became shorter; try again`);
		}

		// oxlint-disable-next-line no-await-in-loop -- as above
		await archive.writeFile(buffer.subarray(0, bytesRead));
		left -= bytesRead;
	}

	await archive.writeFile(Buffer.alloc(paddingOf(bytes)));
	return undefined;
}

/** Why `svc restore` would refuse an archive with such a file. */
function whyNotRestored(path: string, bytes: number): string | undefined {
	if (bytes > maxFileBytes && !isStore(path)) {
		return `it is above ${maxFileBytes / 1024 / 1024} MiB`;
	}

	return whyNoMember(path) ?? (fitsHeader(path) ? undefined : 'its path is too long');
}

async function addBytes(
	archive: FileHandle,
	path: string,
	{content, now}: {content: Buffer; now: number},
): Promise<void> {
	const bytes = content.length;
	await archive.writeFile(tarHeaderOf({path, bytes, executable: false, modifiedAt: now}));
	await archive.writeFile(content);
	await archive.writeFile(Buffer.alloc(paddingOf(bytes)));
}
