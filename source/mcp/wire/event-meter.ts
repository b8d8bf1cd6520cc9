const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** How much of a line is examined: enough for `retry: ` and a number. */
const maxHeadBytes = 32;

/** Measures the events of an event stream while its bytes pass, without storing them. @see WHATWG HTML 9.2.6, Interpreting an event stream */
export function createEventMeter(maxEventBytes: number) {
	let eventBytes = 0;
	let lineBytes = 0;
	let head = '';
	let previous = 0;
	let retryMs: number | undefined;

	const endLine = () => {
		const [, digits] = /^retry: ?(\d{1,9})$/.exec(head) ?? [];
		retryMs = digits === undefined ? retryMs : Number(digits);
		if (lineBytes === 0) {
			eventBytes = 0;
		}

		lineBytes = 0;
		head = '';
	};

	/** Skips to the end of a long line at once; byte by byte would take seconds. Returns where it stopped. */
	const skip = (chunk: Uint8Array, start: number): number => {
		const feed = chunk.indexOf(lineFeed, start);
		const end = feed === -1 ? chunk.length : feed;
		const back = chunk.subarray(start, end).indexOf(carriageReturn);
		const stop = back === -1 ? end : start + back;
		lineBytes += stop - start;
		eventBytes += stop - start;
		return stop;
	};

	const take = (byte: number) => {
		eventBytes++;
		if (byte === carriageReturn || (byte === lineFeed && previous !== carriageReturn)) {
			endLine();
		} else if (byte !== lineFeed) {
			lineBytes++;
			head += String.fromCharCode(byte);
		}

		previous = byte;
	};

	return {
		/** `false` if an event exceeds the limit. */
		push(chunk: Uint8Array): boolean {
			for (let index = 0; index < chunk.length; index++) {
				index = lineBytes < maxHeadBytes ? index : skip(chunk, index);
				const byte = chunk[index];
				if (byte !== undefined) {
					take(byte);
				}

				if (eventBytes > maxEventBytes) {
					return false;
				}
			}

			return true;
		},
		/** The reconnection delay that the server last requested, in milliseconds. */
		retryMs: (): number | undefined => retryMs,
	};
}
