import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {codeOf, SvcError} from '../core/errors.ts';

/**
 * The text of a file (UTF-8, without a byte order mark), or `undefined` when there is none. Reads no more than `maxBytes`.
 *
 * @throws SvcError `file_unreadable`, `file_too_large`
 */
export function readTextFile(path: string, maxBytes: number): string | undefined {
	let descriptor: number;
	try {
		// Without O_NONBLOCK a pipe of that name would hold the whole program.
		descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw unreadable(path, error);
	}

	try {
		return readBounded(descriptor, {path, maxBytes});
	} finally {
		closeSync(descriptor);
	}
}

function readBounded(
	descriptor: number,
	{path, maxBytes}: {readonly path: string; readonly maxBytes: number},
): string {
	try {
		if (!fstatSync(descriptor).isFile()) {
			throw new SvcError('file_unreadable', `Cannot read "${path}": it is not a file`);
		}

		// One byte more than allowed shows a file that is too large, also one that grows while it is read.
		const bytes = Buffer.allocUnsafeSlow(maxBytes + 1);
		let length = 0;
		for (;;) {
			const count = readSync(descriptor, bytes, length, bytes.length - length, null);
			length += count;
			if (count === 0 || length === bytes.length) {
				break;
			}
		}

		if (length > maxBytes) {
			throw new SvcError(
				'file_too_large',
				`Cannot read "${path}": it is larger than ${maxBytes} bytes`,
			);
		}

		return bytes.toString('utf8', 0, length).replace(/^\uFEFF/, '');
	} catch (error) {
		throw error instanceof SvcError ? error : unreadable(path, error);
	}
}

const unreadable = (path: string, error: unknown) =>
	new SvcError(
		'file_unreadable',
		`Cannot read "${path}" (${codeOf(error)}): make it readable for this user`,
		{cause: error},
	);

/** For who writes a file: what is too large could not be read again. @throws SvcError `file_too_large` */
export function refuseTooLarge(path: string, text: string, maxBytes: number): void {
	const bytes = Buffer.byteLength(text);
	if (bytes > maxBytes) {
		throw new SvcError(
			'file_too_large',
			`Cannot write "${path}": it would have ${bytes} bytes, and more than ${maxBytes} are not read`,
		);
	}
}
