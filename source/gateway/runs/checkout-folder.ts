import {constants, type PathLike, readdirSync} from 'node:fs';
import {
	chmod,
	lstat,
	mkdir,
	mkdtemp,
	open,
	opendir,
	realpath,
	rename,
	rmdir,
	unlink,
} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {orElse} from '../../core/or-else.ts';
import {refusePlantedFolder} from '../../core/own-files.ts';

/** Folder of a profile's checkouts: within its home, which no sandbox can write, whatever paths are allowed. */
const checkoutsOf = (profileHome: string): string => join(profileHome, 'checkouts');

/**
 * Creates an empty folder for a run's checkout, which is removed with `stack`.
 *
 * Rejects with `file_planted`, or with the error of the file system.
 */
export async function makeCheckoutFolder(
	{runId, profileHome}: {readonly runId: number; readonly profileHome: string},
	{log}: {readonly log: Logger},
	stack: AsyncDisposableStack,
): Promise<string> {
	const checkouts = checkoutsOf(profileHome);
	refusePlantedFolder(checkouts);
	await mkdir(checkouts, {recursive: true, mode: 0o700});
	const folder = await mkdtemp(join(await realpath(checkouts), `${runId}-`));
	stack.defer(async () => remove(folder, log));
	return folder;
}

/** Entries with other names are not ours: another user may have put a link there. */
const ourName = /^(?:\d+|removed)-\w{6}$/;

/** Removes the checkouts of a killed gateway: those that exist when this is called, before any run starts. Resolves when they are gone; never rejects. */
export async function sweepCheckouts(
	profileHomes: readonly string[],
	{log}: {readonly log: Logger},
): Promise<void> {
	// Listed at once, so that checkouts of runs that start meanwhile are not included.
	for (const folder of profileHomes.flatMap(leftIn)) {
		// oxlint-disable-next-line no-await-in-loop -- nothing waits for them
		await remove(folder, log);
	}
}

function leftIn(profileHome: string): readonly string[] {
	const checkouts = checkoutsOf(profileHome);
	const names = orElse(() => readdirSync(checkouts), []);
	return names.filter(name => ourName.test(name)).map(name => join(checkouts, name));
}

async function remove(folder: string, log: Logger): Promise<void> {
	try {
		await removeFolder(folder);
	} catch (error) {
		log.warn('Cannot remove a checkout: it is tried again at the next start', {
			folder,
			error: messageOf(error),
		});
	}
}

/**
 * Removes a folder with all its contents, however deep and whatever the permissions. Follows no link, and starts no program.
 *
 * Nested folders are moved next to each other first, so that no path exceeds the system's limit.
 */
export async function removeFolder(root: string): Promise<void> {
	const aside = await mkdtemp(join(dirname(root), 'removed-'));
	let count = 0;
	const waiting: string[] = [];
	const moveAside = async (folder: PathLike) => {
		await openUp(folder);
		count += 1;
		const moved = join(aside, String(count));
		await rename(folder, moved);
		waiting.push(moved);
	};

	await moveAside(root);
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		// oxlint-disable-next-line no-await-in-loop -- sequential: each may add to the list
		await emptyFolder(folder, moveAside);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await rmdir(folder);
	}

	await rmdir(aside);
}

/** Maximum number of files removed concurrently. */
const atATime = 64;

/** Maximum number of listings: one may miss entries while others are removed. */
const maxLooks = 10;

async function emptyFolder(
	folder: string,
	moveAside: (folder: PathLike) => Promise<void>,
): Promise<void> {
	await using opened = await openFolder(folder);
	for (let look = 0; look < maxLooks; look += 1) {
		// oxlint-disable-next-line no-await-in-loop -- a later listing finds what an earlier one missed
		if (await removeWhatIsIn(opened.path, moveAside)) {
			return;
		}
	}
}

/** Whether the folder was empty. An entry that cannot be removed makes the removal of its folder fail, with the reason. */
async function removeWhatIsIn(
	path: string,
	moveAside: (folder: PathLike) => Promise<void>,
): Promise<boolean> {
	let isEmpty = true;
	let files: Array<Promise<void>> = [];
	// A name need not be UTF-8.
	for await (const {name, isFolder} of entriesOf(path)) {
		isEmpty = false;
		const entry = Buffer.concat([Buffer.from(`${path}/`), name]);
		files.push(isFolder ? moveAside(entry) : unlink(entry));
		if (isFolder || files.length >= atATime) {
			await Promise.allSettled(files);
			files = [];
		}
	}

	await Promise.allSettled(files);
	return isEmpty;
}

async function* entriesOf(path: string) {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types do not know that names can be bytes
	const encoding = 'buffer' as BufferEncoding;
	for await (const entry of await opendir(path, {encoding, bufferSize: 256})) {
		yield {name: Buffer.from(entry.name), isFolder: entry.isDirectory()};
	}
}

/** Linux's `O_PATH`, which Node does not name: a descriptor that refers to a place without opening it. */
const onlyPlace = 0o10_000_000;

/**
 * Opens the folder itself, never the target of a link in its place. On Linux `path` refers to that folder even after it is moved.
 *
 * Rejects with `ENOTDIR` if it is not a folder.
 */
async function openFolder(folder: PathLike): Promise<AsyncDisposable & {readonly path: string}> {
	if (process.platform !== 'linux') {
		if (!(await lstat(folder)).isDirectory()) {
			throw Object.assign(new Error('It is no folder'), {code: 'ENOTDIR'});
		}

		return {path: String(folder), async [Symbol.asyncDispose]() {}};
	}

	const handle = await open(
		folder,
		// oxlint-disable-next-line no-bitwise -- flags
		onlyPlace | constants.O_DIRECTORY | constants.O_NOFOLLOW,
	);
	return {
		path: `/proc/self/fd/${handle.fd}`,
		[Symbol.asyncDispose]: async () => handle.close(),
	};
}

/** Gives the owner all permissions of a folder. */
async function openUp(folder: PathLike): Promise<void> {
	await using opened = await openFolder(folder);
	await chmod(opened.path, 0o700);
}
