import {constants, lstatSync, statSync, type Stats} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {SvcError} from './errors.ts';

const writeByOthers = 0o022;

/**
 * Makes sure that no other user redirects a write to `path`. A symbolic link of this user or root, and a file with a second hard link, are accepted where only this user may write the
 * folder; anything but a file never is. A missing file is accepted. The folders above are checked, too.
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
 * Makes sure that no other user redirects `folder`, which need not exist: a symbolic link on its path, or in its place, is accepted only where it belongs to this user or root
 * and only they may write its parent folder. Links above the first folder that others may write are not checked: others cannot have planted them. `failed` begins
 * the message.
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

/** A folder and those above it, from the top. */
function wayTo(folder: string): readonly string[] {
	const way = [resolve(folder)];
	for (let [path = ''] = way; dirname(path) !== path; path = dirname(path)) {
		way.unshift(dirname(path));
	}

	return way;
}

/** Further flags to open `path` for writing: a link planted in this very moment is not followed, and a pipe does not block. @throws as `refuseSymlink` */
export function ownFileFlags(path: string): number {
	refuseSymlink(path);
	const isLink = lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink() === true;
	const nofollow = isLink && isPrivate(dirname(path)) ? 0 : constants.O_NOFOLLOW;
	return nofollow | constants.O_NONBLOCK;
}

function whyPlanted(path: string, found: Stats): string | undefined {
	const isLink = found.isSymbolicLink();
	const target = isLink ? statSync(path, {throwIfNoEntry: false}) : found;
	// A folder cannot be written by mistake: opening it fails with a clear error.
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
