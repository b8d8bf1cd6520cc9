import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf, SvcError} from '../core/errors.ts';

const maxBytes = 8 * 1024 * 1024;

/**
 * What an editor left at `path`, UTF-8. A pipe is not waited for, and a link not followed: whoever writes an editor may not choose what we read.
 *
 * @throws SvcError `file_unreadable` for what is no file, `file_too_large` (over 8 MiB)
 */
export async function readEdited(path: string): Promise<string> {
	await using file = await openFile(path);
	if (!(await file.stat()).isFile()) {
		throw unreadable('it is not a file');
	}

	return await readBounded(file);
}

async function openFile(path: string): Promise<FileHandle> {
	try {
		return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
	} catch (error) {
		const code = codeOf(error);
		throw unreadable(code === 'ELOOP' ? 'it is a link' : code, error);
	}
}

const unreadable = (why: string, cause?: unknown) =>
	new SvcError('file_unreadable', `Cannot take what the editor left: ${why}`, {cause});

async function readBounded(file: FileHandle): Promise<string> {
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
		throw new SvcError(
			'file_too_large',
			'Cannot take what the editor left: it is larger than 8 MiB',
		);
	}

	return bytes.toString('utf8', 0, length);
}
