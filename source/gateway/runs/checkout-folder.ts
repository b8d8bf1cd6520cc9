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

/** Where the checkouts of a profile lie: in its folder, which no sandbox can write, whatever is listed. */
const checkoutsOf = (profileHome: string): string => join(profileHome, 'checkouts');

/**
 * Makes an empty folder for the checkout of a run, which ends with `stack`.
 *
 * Rejects with `file_planted`, or with what the file system says.
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

/** What stands in it under other names is not ours: another user may have put a link there. */
const ourName = /^(?:\d+|removed)-\w{6}$/;

/** Removes the checkouts that a gateway left when it was killed: those that are there when this is called, before any run starts. Resolves when they are gone; never rejects. */
export async function sweepCheckouts(
	profileHomes: readonly string[],
	{log}: {readonly log: Logger},
): Promise<void> {
	// Looked for at once: a checkout of a run that starts meanwhile is none of them.
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
 * Removes a folder with everything in it, however deep that is, and whatever its permissions say. Follows no link, and runs nothing.
 *
 * Folders in it are moved next to each other first: no path gets longer than what a system takes.
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
		// oxlint-disable-next-line no-await-in-loop -- one after the other: each may add to the list
		await emptyFolder(folder, moveAside);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await rmdir(folder);
	}

	await rmdir(aside);
}

/** Files that are removed at a time. */
const atATime = 64;

/** A listing may miss what stands in a folder while other things in it are removed. */
const maxLooks = 10;

async function emptyFolder(
	folder: string,
	moveAside: (folder: PathLike) => Promise<void>,
): Promise<void> {
	await using opened = await openFolder(folder);
	for (let look = 0; look < maxLooks; look += 1) {
		// oxlint-disable-next-line no-await-in-loop -- the second look is for what the first one missed
		if (await removeWhatIsIn(opened.path, moveAside)) {
			return;
		}
	}
}

/** Whether there was nothing. What cannot be removed keeps its folder from being removed, which says why. */
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

/** Linux: a descriptor that stands for a place and opens nothing. Node has no name for it. */
const onlyPlace = 0o10_000_000;

/**
 * A folder itself, never what a link in its place leads to. On Linux `path` stays that folder's, wherever it is moved.
 *
 * Rejects with `ENOTDIR` where it is none.
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

/** Lets its owner list and change a folder. */
async function openUp(folder: PathLike): Promise<void> {
	await using opened = await openFolder(folder);
	await chmod(opened.path, 0o700);
}
