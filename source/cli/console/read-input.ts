import {createReadStream} from 'node:fs';
import {SvcError, messageOf} from '../../core/errors.ts';
import type {Context} from './context.ts';

/**
 * Reads the text of a file, or of standard input for `-`.
 *
 * @throws SvcError `file_unreadable`, `file_too_large`
 */
export async function readInput(
	context: Pick<Context, 'stdin' | 'signal'>,
	path: string,
	{maxBytes}: {readonly maxBytes: number},
): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of openInput(context, path)) {
			bytes += chunk.length;
			if (bytes > maxBytes) {
				break;
			}

			chunks.push(chunk);
		}
	} catch (error) {
		throw unreadable(path, error);
	}

	if (bytes > maxBytes) {
		throw new SvcError(
			'file_too_large',
			`Cannot use "${path}": it holds more than ${maxBytes} bytes`,
		);
	}

	return Buffer.concat(chunks).toString('utf8');
}

/** Opens the bytes of a file, or of standard input for `-`; errors occur while reading. @throws SvcError `file_unreadable` for `-` at the prompt of `svc --linear` */
export function openInput(
	{stdin, signal}: Pick<Context, 'stdin' | 'signal'>,
	path: string,
): AsyncIterable<Buffer> {
	if (path === '-' && signal) {
		throw new SvcError(
			'file_unreadable',
			'Cannot read "-" at the prompt: its lines are commands; name a file',
		);
	}

	return path === '-' ? stdin : createReadStream(path);
}

/** The error for an unreadable file. */
export const unreadable = (path: string, cause: unknown): SvcError =>
	new SvcError('file_unreadable', `Cannot read "${path}": ${messageOf(cause)}`, {cause});
