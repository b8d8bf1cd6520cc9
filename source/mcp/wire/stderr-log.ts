import {appendFile, chmod, rename, stat} from 'node:fs/promises';
import type {Clock} from '../../core/clock.ts';

/** The file is set aside at this size; with the one before it the log never takes more than twice this. */
const largestBytes = 5 * 1024 * 1024;

/** Lines that may wait for the disk. */
const longestBacklog = 1000;

export type StderrLog = AsyncDisposable & {
	/** `line` is cleaned and redacted. Never throws, never waits. */
	write(server: string, line: string): void;
};

/**
 * What tool servers write to their standard error: a file (0600), each line with the time and the server's name. What comes faster than the disk takes it
 * is dropped and counted; a disk that fails loses lines, never a server.
 */
export function createStderrLog({
	path,
	clock,
}: {
	readonly path: string;
	readonly clock: Clock;
}): StderrLog {
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
		const missing = lost > 0 ? [`${lost} lines were dropped`] : [];
		lost = 0;
		const text = [...missing, ...lines, ''].join('\n');
		try {
			bytes ??= await sizeOf(path);
			if (bytes > largestBytes) {
				await rename(path, `${path}.1`);
				bytes = 0;
			}

			await appendFile(path, text, {mode: 0o600});
			bytes += Buffer.byteLength(text);
		} catch {
			// There is nowhere left to say it but the file itself, later.
			lost += lines.length;
		}
	};

	return {
		write(server, line) {
			if (waiting.length >= longestBacklog) {
				lost++;
				return;
			}

			waiting.push(`${new Date(clock.now()).toISOString()} [${server}] ${line}`);
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
