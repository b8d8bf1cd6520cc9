import {constants, lstatSync, statSync, type Stats} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {SvcError} from './errors.ts';

const writeByOthers = 0o022;

/**
 * Makes sure that what is written to `path` goes to a file that nobody else chose. A symbolic link of this user or root, and a file with a second name, count where only this user may write the
 * folder; what is no file never does. Nothing there is fine, too. The folders above are looked at as well.
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
 * Makes sure that `folder`, which need not exist, is where its path says, or where this user or root sent it: a symbolic link on the way to it, or in its place, counts only where it is
 * theirs and only they may write the folder that it is in. What stands above every folder of theirs that others may write is not asked: nobody planted it there. `failed` begins
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

/** The first link on the way to `folder` that others may have made. */
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

/** Flags to open `path` for writing with, beside the usual ones: a link that takes its place this very moment is not followed, a pipe holds nobody. @throws as `refusePlanted` */
export function ownFileFlags(path: string): number {
	refuseSymlink(path);
	const isLink = lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink() === true;
	const nofollow = isLink && isPrivate(dirname(path)) ? 0 : constants.O_NOFOLLOW;
	return nofollow | constants.O_NONBLOCK;
}

function whyPlanted(path: string, found: Stats): string | undefined {
	const isLink = found.isSymbolicLink();
	const target = isLink ? statSync(path, {throwIfNoEntry: false}) : found;
	// A folder in its place cannot be written by mistake: opening it says what is wrong.
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
