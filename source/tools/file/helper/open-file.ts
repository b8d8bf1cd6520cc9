import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf, messageOf} from '../../../core/errors.ts';

/** Why a call failed; the text follows `Cannot read "path": `. */
export class FileRefused extends Error {}

/** Opens a file for reading, without blocking on a pipe. @throws FileRefused for a folder or a device */
export async function openRegularFile(path: string): Promise<FileHandle & {readonly size: number}> {
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	const stats = await handle.stat();
	if (!stats.isFile()) {
		await handle.close();
		throw new FileRefused(stats.isDirectory() ? 'it is a folder' : 'it is no file');
	}

	return Object.assign(handle, {size: stats.size});
}

/** The chunk size in bytes. */
const chunkBytes = 65_536;

/** Reads a file to its actual end, whatever size it claims. Each chunk is valid until the next. */
export async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {buffer, bytesRead} = await handle.read(Buffer.alloc(chunkBytes));
		if (bytesRead === 0) {
			return;
		}

		yield buffer.subarray(0, bytesRead);
	}
}

/** Reads a whole file. @throws FileRefused above `maxBytes` */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
	await using handle = await openRegularFile(path);
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of chunksOf(handle)) {
		length += chunk.length;
		if (length > maxBytes) {
			throw new FileRefused(`it is larger than ${maxBytes / 1_000_000} MB`);
		}

		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

/** Files with a NUL byte count as binary, as in other programs. */
export const isBinary = (bytes: Buffer): boolean => bytes.includes(0);

/** Decodes UTF-8, keeping a byte order mark; invalid bytes become U+FFFD. */
export const decodeText = (bytes: Uint8Array): string =>
	new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes);

const reasons: Readonly<Record<string, string>> = {
	ENOENT: 'it is not there, or not among what is inside of the sandbox',
	EROFS: 'it is read-only inside of the sandbox',
	ELOOP: 'it is a link that leads to itself',
	EBUSY: 'it is listed by itself, and cannot be replaced: list its folder',
};

/** The reason of a failure; follows a colon. */
export const reasonOf = (error: unknown): string => reasons[codeOf(error)] ?? messageOf(error);
