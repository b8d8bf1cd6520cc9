import {randomBytes} from 'node:crypto';
import {lstat, mkdir, readdir, rename, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import {basePaths, ensureHome, namePattern, profilePaths} from '../../config/home-paths.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import {lockHome, refuseAnswered} from '../../gateway/control/lock.ts';
import {checkCopy} from '../../store/copy-store.ts';
import {homeFiles, homeFolders, isStore, profilesOf, storeName} from './members.ts';
import {openArchive} from './read-archive.ts';

/** The result of a restore. */
export type Restored = {
	readonly members: number;
	readonly version: string;
	readonly madeAt: string;
	/** Where the previous files are now; absent if there were none. */
	readonly replaced?: string;
};

/** Files beside the journal which are moved with it: the log of another journal would damage it. */
const besideStore = ['state.db-wal', 'state.db-shm'];

/**
 * Replaces a home by a backup. Everything is unpacked beside the home and checked before anything is moved; the previous files are kept in a separate folder.
 *
 * @throws SvcError `home_not_empty` unless `force`, `gateway_running`, `backup_invalid`, `store_too_new`, `store_unreadable`, `home_unusable`, `file_planted`
 */
export async function restoreBackup(
	paths: HomePaths,
	{file, force, now}: {readonly file: string; readonly force: boolean; readonly now: number},
): Promise<Restored> {
	await using archive = await openArchive(file);
	const {home} = paths;
	const isEmpty = await isUnused(home);
	if (!force && !isEmpty) {
		throw new SvcError(
			'home_not_empty',
			`Cannot restore into "${home}": it is not empty; --force sets aside what is there`,
		);
	}

	await using stack = new AsyncDisposableStack();
	const profiles = profilesOf(archive.members.map(({path}) => path));
	if (basePaths(paths) && profiles.length > 0) {
		throw new SvcError(
			'backup_invalid',
			`Cannot restore "${file}" into a profile: it is of a home`,
		);
	}

	const base = basePaths(paths);
	if (base) {
		await refuseAnswered(base).catch(restoreLater(base));
	}

	await hold(stack, paths);
	const known = (await namesIn(join(home, 'profiles'))).filter(name => namePattern.test(name));
	const all = new Set([...profiles, ...known]);
	for (const name of all) {
		// oxlint-disable-next-line no-await-in-loop -- one lock after the other
		await hold(stack, profilePaths(paths, name));
	}

	const staging = join(home, `restore-${randomBytes(6).toString('hex')}`);
	await mkdir(staging, {mode: 0o700});
	stack.defer(async () => rm(staging, {recursive: true, force: true}));
	for (const member of archive.members) {
		const to = join(staging, member.path);
		// oxlint-disable-next-line no-await-in-loop -- one file after the other
		await mkdir(dirname(to), {recursive: true, mode: 0o700});
		// oxlint-disable-next-line no-await-in-loop -- one file after the other
		await archive.extract(member, to);
		if (isStore(member.path)) {
			checkCopy(to);
		}
	}

	const replaced = join(home, `replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`);
	let hasReplaced = false;
	for (const folder of ['', ...[...all].map(name => `profiles/${name}`)]) {
		for (const name of [...homeFiles, ...homeFolders, storeName, ...besideStore]) {
			const path = join(folder, name);
			if (!isEmpty) {
				// oxlint-disable-next-line no-await-in-loop -- in order: the journal goes with its log
				hasReplaced = (await move(path, {from: home, to: replaced})) || hasReplaced;
			}

			// oxlint-disable-next-line no-await-in-loop -- as above
			await move(path, {from: staging, to: home});
		}
	}

	const {members, version, madeAt} = archive;
	return {members: members.length, version, madeAt, ...(hasReplaced && {replaced})};
}

/** Whether a home is unused: empty folders and a lock do not count, since a failed restore leaves them. */
const isUnused = async (home: string): Promise<boolean> =>
	everyFolder(home, async (folder, name) =>
		name === 'profiles'
			? everyFolder(folder, isUnused)
			: (await namesIn(folder)).every(file => name === 'run' && file === 'gateway.lock'),
	);

/** Whether a folder contains only folders, and each satisfies the test. */
async function everyFolder(
	parent: string,
	counts: (folder: string, name: string) => Promise<boolean>,
): Promise<boolean> {
	const entries = await readdir(parent, {withFileTypes: true}).catch(() => []);
	const found = await Promise.all(
		entries.map(async entry => entry.isDirectory() && counts(join(parent, entry.name), entry.name)),
	);
	return found.every(Boolean);
}

/** Locks a home or profile against gateways until the end. */
async function hold(stack: AsyncDisposableStack, paths: HomePaths): Promise<void> {
	ensureHome(paths);
	try {
		stack.use(lockHome(paths));
		await refuseAnswered(paths);
	} catch (error) {
		restoreLater(paths)(error);
	}
}

/** Rephrases the error of a gateway that cannot start. */
const restoreLater =
	({home}: HomePaths) =>
	(error: unknown): never => {
		throw codeOf(error) === 'gateway_running'
			? new SvcError(
					'gateway_running',
					`Cannot restore while a gateway runs for "${home}": end it with "svc gateway stop"`,
					{cause: error},
				)
			: error;
	};

/** Moves a file or folder, also over an empty folder; `false` if it does not exist. */
async function move(
	path: string,
	{from, to}: {readonly from: string; readonly to: string},
): Promise<boolean> {
	if (!(await lstat(join(from, path)).catch(() => undefined))) {
		return false;
	}

	await mkdir(dirname(join(to, path)), {recursive: true, mode: 0o700});
	await rename(join(from, path), join(to, path));
	return true;
}

const namesIn = async (folder: string): Promise<readonly string[]> =>
	readdir(folder).catch(() => []);
