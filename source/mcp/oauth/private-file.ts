import {constants} from 'node:fs';
import {chmod, lstat, mkdir, open} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {replaceFile} from '../../core/own-files.ts';

/** Larger files are not read: tokens, a registration and metadata take far less. */
export const maxPrivateFileBytes = 1_048_576;

/**
 * Reads a file with secrets; `undefined` if it does not exist. Does not follow links.
 *
 * @throws SvcError `login_file_unusable`; the message never holds what is in the file.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
	try {
		await refuseLinkedFolder(path);
		await using file = await open(
			path,
			constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
		);
		const facts = await file.stat();
		if (!facts.isFile() || facts.size > maxPrivateFileBytes) {
			throw unusable(path, facts.isFile() ? 'it is too large' : 'it is not a file');
		}

		return await file.readFile('utf8');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw asUnusable(path, error);
	}
}

/**
 * Replaces such a file atomically: written under another name with mode 0600, synced, renamed. Its folder is set to mode 0700. Refuses to replace a link.
 *
 * @throws SvcError `login_file_unusable`
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
	try {
		await makePrivateFolder(path);
		await refuseLink(path);
		await replaceFile(path, text);
	} catch (error) {
		throw asUnusable(path, error);
	}
}

/** Creates the folder of `path` with mode 0700. @throws SvcError `login_file_unusable` */
export async function makePrivateFolder(path: string): Promise<void> {
	const folder = dirname(path);
	try {
		await mkdir(folder, {recursive: true, mode: 0o700});
		await refuseLinkedFolder(path);
		const {mode} = await lstat(folder);
		if ((mode & 0o077) !== 0) {
			await chmod(folder, 0o700);
		}
	} catch (error) {
		throw asUnusable(path, error);
	}
}

async function refuseLinkedFolder(path: string): Promise<void> {
	if ((await lstat(dirname(path))).isSymbolicLink()) {
		throw unusable(path, 'its folder is a symbolic link');
	}
}

async function refuseLink(path: string): Promise<void> {
	try {
		if ((await lstat(path)).isSymbolicLink()) {
			throw unusable(path, 'it is a symbolic link');
		}
	} catch (error) {
		if (codeOf(error) !== 'ENOENT') {
			throw error;
		}
	}
}

const unusable = (path: string, reason: string, cause?: unknown): SvcError =>
	new SvcError('login_file_unusable', `Cannot use "${path}": ${reason}`, {cause});

const asUnusable = (path: string, error: unknown): SvcError =>
	error instanceof SvcError
		? error
		: unusable(path, codeOf(error) === 'ELOOP' ? 'it is a symbolic link' : messageOf(error), error);
