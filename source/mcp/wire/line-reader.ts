const newline = 0x0a;

/** What to do with a line longer than the limit: `stop` reads nothing more, `cut` continues with the next line. */
export type LongLines = 'stop' | 'cut';

/**
 * Splits bytes into lines without their ends (`
 * `, `\r
 * `). Buffers at most `maxBytes`. A longer line is passed to `onLine` cut to that length with `cut`; with `stop` it is dropped with everything after it, and
 * `onTooLong` is called once.
 */
export function createLineReader({
	maxBytes,
	above,
	onLine,
	onTooLong = () => {},
}: {
	readonly maxBytes: number;
	readonly above: LongLines;
	readonly onLine: (line: string) => void;
	readonly onTooLong?: () => void;
}) {
	let parts: Buffer[] = [];
	let bytes = 0;
	let isCut = false;
	let isStopped = false;

	const flush = () => {
		const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
		parts = [];
		bytes = 0;
		onLine((line ?? Buffer.alloc(0)).toString().replace(/\r$/, ''));
	};

	const take = (part: Buffer) => {
		if (isCut) {
			return;
		}

		const room = maxBytes - bytes;
		if (part.length <= room) {
			parts.push(part);
			bytes += part.length;
			return;
		}

		if (above === 'stop') {
			isStopped = true;
			parts = [];
			onTooLong();
			return;
		}

		isCut = true;
		parts.push(part.subarray(0, room));
	};

	return {
		/** Adds bytes; calls `onLine` for each line they complete. */
		push(chunk: Buffer): void {
			let start = 0;
			while (start < chunk.length) {
				const end = chunk.indexOf(newline, start);
				if (!isStopped) {
					take(chunk.subarray(start, end === -1 ? chunk.length : end));
				}

				if (isStopped || end === -1) {
					return;
				}

				flush();
				isCut = false;
				start = end + 1;
			}
		},
		/** Text after the last newline counts as a line. */
		end(): void {
			if (!isStopped && bytes > 0) {
				flush();
			}
		},
	};
}
