import {closeSync, constants, fstatSync, openSync, readSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {codeOf, SvcError} from '../core/errors.ts';
import {replaceFile, refuseSymlink} from '../core/own-files.ts';
import type {HomePaths} from './config.ts';

/**
 * The text of a file (UTF-8, without a byte order mark), or `undefined` when there is none. Reads no more than `maxBytes`.
 *
 * @throws SvcError `file_unreadable`, `file_too_large`
 */
export function readTextFile(path: string, maxBytes: number): string | undefined {
	let descriptor: number;
	try {
		// Without O_NONBLOCK, opening a named pipe would block the whole program.
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

		// One byte more than allowed reveals a file that is too large, even one that grows meanwhile.
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

/** Refuses to write a text that would be too large to read again. @throws SvcError `file_too_large` */
export function refuseTooLarge(path: string, text: string, maxBytes: number): void {
	const bytes = Buffer.byteLength(text);
	if (bytes > maxBytes) {
		throw new SvcError(
			'file_too_large',
			`Cannot write "${path}": it would have ${bytes} bytes, and more than ${maxBytes} are not read`,
		);
	}
}

export type FileStamp = {
	/** Changes whenever the file must be read again: modification time (ns), size and inode. */
	readonly stamp: string;
	/** Modification time in milliseconds since 1970; 0 when there is no file. */
	readonly changedAt: number;
};

/** Identifies a version of a file, for one `stat`. A missing or inaccessible file has a stamp, too. Never throws. */
export function stampOf(path: string): FileStamp {
	try {
		const stats = statSync(path, {bigint: true, throwIfNoEntry: false});
		return stats
			? {
					stamp: `${stats.mtimeNs} ${stats.size} ${stats.ino}`,
					changedAt: Number(stats.mtimeMs),
				}
			: {stamp: 'none', changedAt: 0};
	} catch (error) {
		return {stamp: codeOf(error), changedAt: 0};
	}
}

/** Replaces a whole file, 0600 and synced. Follows a link in its place, as dotfile managers make them, if only this user can have made it. @throws SvcError `file_planted` */
export async function writePrivateFile(path: string, text: string | Buffer): Promise<void> {
	refuseSymlink(path);
	await replaceFile(path, text);
}

/** Most bytes of a text that is read or written. */
export const maxEditedBytes = 4 * 1024 * 1024;

/** An editable text: a file of the home, or rows of a database that are read as such a file. */
export type EditedText = {
	/** The name in messages: the path, or the database. */
	readonly name: string;
	/** Changes whenever the text must be read again. Never throws. */
	stamp(): FileStamp;
	/** The current text; `undefined` if missing. @throws SvcError `file_unreadable`, `file_too_large`; `journal_unavailable` while the rows were never read */
	read(): string | undefined;
	/**
	 * Replaces the text by the result of `change`, while other writers wait; without a `text` nothing is written. `change` gets an empty text if there is none. If it
	 * throws, nothing is written. It may be called again if a row was changed meanwhile.
	 *
	 * @throws SvcError `file_too_large`, `lock_timeout`; of rows `document_changed`, `journal_unavailable`, `store_key_wrong`
	 */
	edit<Value>(
		change: (text: string) => TextChange<Value>,
		world: {readonly clock: Clock},
	): Promise<Value>;
};

/** The new text, if any, and a value for the caller. */
export type TextChange<Value> = {readonly text?: string; readonly value: Value};

/** The dynamic routes of a home, for reading. */
export const subscriptionsText = ({
	subscriptions,
	shared,
}: Pick<HomePaths, 'shared' | 'subscriptions'>): Omit<EditedText, 'edit'> =>
	shared?.subscriptions ?? fileText(subscriptions);

/** The jobs of a profile, for reading. */
export const jobsText = ({
	cron,
	shared,
}: Pick<HomePaths, 'cron' | 'shared'>): Omit<EditedText, 'edit'> =>
	shared?.jobs ?? fileText(join(cron, 'jobs.json'));

/** The present text of a file. */
export const fileText = (path: string): Omit<EditedText, 'edit'> => ({
	name: path,
	stamp: () => stampOf(path),
	read: () => readTextFile(path, maxEditedBytes),
});
