const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** As much of a line as is looked at: enough for `retry: ` and a number. */
const longestHead = 32;

export type EventMeter = {
	/** `false`: an event is larger than the limit. */
	push(chunk: Uint8Array): boolean;
	/** The pause before a new connection that the server asked for last, milliseconds. */
	retryMs(): number | undefined;
};

/** Measures the events of an event stream as its bytes pass by; keeps none of them. @see WHATWG HTML 9.2.6, Interpreting an event stream */
export function createEventMeter(maxEventBytes: number): EventMeter {
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

	return {
		push(chunk) {
			for (const byte of chunk) {
				if (byte === carriageReturn || (byte === lineFeed && previous !== carriageReturn)) {
					endLine();
				} else if (byte !== lineFeed) {
					lineBytes++;
					head += lineBytes <= longestHead ? String.fromCharCode(byte) : '';
				}

				previous = byte;
				if (++eventBytes > maxEventBytes) {
					return false;
				}
			}

			return true;
		},
		retryMs: () => retryMs,
	};
}
