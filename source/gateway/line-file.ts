import {appendFile, chmod, rename, stat} from 'node:fs/promises';

/** The file is set aside at this size; with the two before it the log never takes more than three times this. */
const largestBytes = 16 * 1024 * 1024;

/** Lines that may wait for the disk. */
const longestBacklog = 5000;

export type LineFile = AsyncDisposable & {
	/** Returns at once; never throws. `line` holds no line break. */
	write(line: string): void;
};

/**
 * Appends lines to a file (0600), in order. A disk that fails loses lines, counted by what `describeLost` says of them in the next line that can be
 * written; it never stops the gateway.
 */
export function createLineFile(path: string, describeLost: (lines: number) => string): LineFile {
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
		const missing = lost > 0 ? [describeLost(lost)] : [];
		const text = [...missing, ...lines, ''].join('\n');
		try {
			bytes ??= await sizeOf(path);
			if (bytes > largestBytes) {
				await setAside(path);
				bytes = 0;
			}

			await appendFile(path, text, {mode: 0o600});
			bytes += Buffer.byteLength(text);
			lost = 0;
		} catch {
			// There is nowhere left to say it but the file itself, later.
			lost += lines.length;
		}
	};

	return {
		write(line) {
			if (waiting.length >= longestBacklog) {
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

async function setAside(path: string): Promise<void> {
	await rename(`${path}.1`, `${path}.2`).catch(() => {});
	await rename(path, `${path}.1`);
}
