import {constants} from 'node:fs';
import {appendFile, chmod, rename, stat} from 'node:fs/promises';
import {ownFileFlags} from './symlink-guard.ts';

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** How much a file of lines may take. */
export type LineFileOptions = {
	/** Above this size the file is set aside, bytes. */
	readonly maxBytes: number;
	/** How many files that were set aside are kept: `.1` is the newest. */
	readonly kept: number;
	/** Lines that may wait for the disk; what comes then is lost. */
	readonly maxBacklog: number;
	/** The line that says how many were lost. */
	readonly describeLost: (lines: number) => string;
};

export type LineFile = AsyncDisposable & {
	/** Returns at once; never throws. `line` holds no line break. */
	write(line: string): void;
};

/**
 * Appends lines to a file (0600), in order. A disk that fails or is slow loses lines, counted in the next line that can be written; it stops nobody. Disposal waits
 * for the disk.
 */
export function createLineFile(
	path: string,
	{maxBytes, kept, maxBacklog, describeLost}: LineFileOptions,
): LineFile {
	let waiting: string[] = [];
	let lost = 0;
	let bytes: number | undefined;
	let writing: Promise<void> | undefined;

	const flush = async () => {
		while (waiting.length > 0) {
			const lines = waiting;
			waiting = [];
			// One write after the other keeps the order.
			// oxlint-disable-next-line no-await-in-loop
			await append(lines);
		}

		writing = undefined;
	};

	const append = async (lines: readonly string[]) => {
		// More may get lost while this is written.
		const told = lost;
		const text = [...(told > 0 ? [describeLost(told)] : []), ...lines, ''].join('\n');
		try {
			const flag = appending | ownFileFlags(path);
			bytes ??= await sizeOf(path);
			if (bytes > maxBytes) {
				await setAside(path, kept);
				bytes = 0;
			}

			await appendFile(path, text, {mode: 0o600, flag});
			bytes += Buffer.byteLength(text);
			lost -= told;
		} catch {
			// There is nowhere left to say it but the file itself, later.
			lost += lines.length;
		}
	};

	return {
		write(line) {
			if (waiting.length >= maxBacklog) {
				lost++;
				return;
			}

			waiting.push(line);
			writing ??= flush();
		},
		async [Symbol.asyncDispose]() {
			await writing;
		},
	};
}

async function sizeOf(path: string): Promise<number> {
	try {
		await chmod(path, 0o600);
		return (await stat(path)).size;
	} catch {
		return 0;
	}
}

async function setAside(path: string, kept: number): Promise<void> {
	for (let older = kept; older > 1; older--) {
		// oxlint-disable-next-line no-await-in-loop -- the oldest makes room first
		await rename(`${path}.${older - 1}`, `${path}.${older}`).catch(() => {});
	}

	await rename(path, `${path}.1`);
}
