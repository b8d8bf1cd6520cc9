import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf, SvcError} from '../core/errors.ts';

const maxBytes = 8 * 1024 * 1024;

/**
 * What an editor left at `path`, UTF-8. A pipe is not waited for, and a link not followed: whoever writes an editor may not choose what we read.
 *
 * @throws SvcError `file_unreadable` for what is no file, `file_too_large` (over 8 MiB)
 */
export const readEdited = async (path: string): Promise<string> =>
	readText(path, {flags: constants.O_NOFOLLOW, failed: 'Cannot take what the editor left'});

/**
 * What stands at `path` before an editor opens it, UTF-8. It is the person's own file, which may be a link, as dotfile managers make them; a pipe is not waited for.
 *
 * @throws SvcError `file_unreadable` for what is no file, `file_too_large` (over 8 MiB)
 */
export const readToEdit = async (path: string): Promise<string> =>
	readText(path, {flags: 0, failed: `Cannot open "${path}"`});

type Reading = {
	/** Beside those of every reading. */
	readonly flags: number;
	/** How messages begin. */
	readonly failed: string;
};

async function readText(path: string, reading: Reading): Promise<string> {
	await using file = await openFile(path, reading);
	if (!(await file.stat()).isFile()) {
		throw unreadable(reading, 'it is not a file');
	}

	return await readBounded(file, reading);
}

async function openFile(path: string, reading: Reading): Promise<FileHandle> {
	try {
		return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | reading.flags);
	} catch (error) {
		const code = codeOf(error);
		throw unreadable(reading, code === 'ELOOP' ? 'it is a link' : code, error);
	}
}

const unreadable = ({failed}: Reading, why: string, cause?: unknown) =>
	new SvcError('file_unreadable', `${failed}: ${why}`, {cause});

async function readBounded(file: FileHandle, {failed}: Reading): Promise<string> {
	// One byte more than allowed shows a file that is too large, also one that grows while it is read.
	const bytes = Buffer.allocUnsafeSlow(maxBytes + 1);
	let length = 0;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- each read begins where the last one ended
		const {bytesRead} = await file.read(bytes, length, bytes.length - length, null);
		length += bytesRead;
		if (bytesRead === 0 || length === bytes.length) {
			break;
		}
	}

	if (length > maxBytes) {
		throw new SvcError('file_too_large', `${failed}: it is larger than 8 MiB`);
	}

	return bytes.toString('utf8', 0, length);
}
