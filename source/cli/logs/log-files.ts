import {open, stat, type FileHandle} from 'node:fs/promises';
import {sleep, type Clock} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';

const chunkBytes = 64 * 1024;
/** A line without an end is cut there: no log of ours has one. */
const maxLineLength = 64 * 1024;

/** How often a log that is followed is looked at, milliseconds. */
const lookMs = 250;

/** A file of lines that is read as it grows. */
export type OpenLog = AsyncDisposable & {
	/** The whole lines that were not read yet. */
	lines(): AsyncGenerator<string, void>;
	/** Whether `path` is another file by now. */
	isSetAside(): Promise<boolean>;
};

/** Opens a log; `undefined` when there is none. */
export async function openLogFile(path: string): Promise<OpenLog | undefined> {
	let file: FileHandle;
	try {
		file = await open(path, 'r');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}

	const buffer = Buffer.alloc(chunkBytes);
	const decoder = new TextDecoder();
	let position = 0;
	let rest = '';
	return {
		async *lines() {
			for (;;) {
				// One part after the other: lines have an order.
				// oxlint-disable-next-line no-await-in-loop
				const {bytesRead} = await file.read(buffer, 0, chunkBytes, position);
				if (bytesRead === 0) {
					return;
				}

				position += bytesRead;
				const parts = (rest + decoder.decode(buffer.subarray(0, bytesRead), {stream: true})).split(
					'\n',
				);
				rest = (parts.pop() ?? '').slice(0, maxLineLength);
				yield* parts;
			}
		},
		async isSetAside() {
			try {
				const [mine, now] = await Promise.all([file.stat(), stat(path)]);
				return mine.ino !== now.ino || now.size < position;
			} catch {
				// Between two files there is none.
				return false;
			}
		},
		[Symbol.asyncDispose]: async () => file.close(),
	};
}

/** The last `count` of what `read` makes of the lines of `log`; what it makes nothing of is left out. */
export async function lastOf<Item>(
	log: OpenLog,
	read: (line: string) => Item | undefined,
	count: number,
): Promise<readonly Item[]> {
	let last: Item[] = [];
	for await (const line of log.lines()) {
		const item = read(line);
		if (item !== undefined) {
			last.push(item);
			// Cut now and then, not each time.
			last = last.length > 2 * count ? last.slice(-count) : last;
		}
	}

	return last.slice(-count);
}

/** The lines that come to the log at `path` from now on, also when it is set aside meanwhile; `log` is what was read of it, if it was there. Ends when `signal` aborts. */
export async function* followLog(
	path: string,
	log: OpenLog | undefined,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
): AsyncGenerator<string, void> {
	let current = log;
	try {
		while (!signal.aborted) {
			// Asked first: what came to the old file before it was set aside is read then.
			// oxlint-disable-next-line no-await-in-loop -- one file after the other
			const isSetAside = (await current?.isSetAside()) === true;
			yield* current?.lines() ?? [];
			if (isSetAside) {
				// oxlint-disable-next-line no-await-in-loop
				await current?.[Symbol.asyncDispose]();
			} else {
				// oxlint-disable-next-line no-await-in-loop
				await sleep(clock, lookMs, signal).catch(() => {});
			}

			// oxlint-disable-next-line no-await-in-loop
			current = isSetAside || !current ? await openLogFile(path) : current;
		}
	} finally {
		await current?.[Symbol.asyncDispose]();
	}
}
