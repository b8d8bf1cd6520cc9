const newline = 0x0a;

/** What comes of a line that is longer than the limit: `stop` reads nothing more, `cut` goes on with the next line. */
export type LongLines = 'stop' | 'cut';

/**
 * Cuts bytes into lines, without their ends (`\n`, `\r\n`). Holds `maxBytes` at most: a longer line is given to `onLine` up to there with `cut`;
 * with `stop` it is dropped with all that follows, after one call of `onTooLong`.
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
		/** Takes the next bytes; calls `onLine` for each line that they complete. */
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
		/** What came after the last newline counts as a line. */
		end(): void {
			if (!isStopped && bytes > 0) {
				flush();
			}
		},
	};
}
