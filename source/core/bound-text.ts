const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * `text` in at most about `maxBytes` bytes of UTF-8: as it is when it fits, else its head (two thirds) and its tail around
 * one line that says how many bytes were left out. That line comes on top of the bound; no character is torn.
 */
export function boundText(text: string, maxBytes: number): string {
	// A UTF-16 unit is at most three bytes, so short texts need no counting.
	if (text.length * 3 <= maxBytes) {
		return text;
	}

	const bytes = Buffer.from(text, 'utf8');
	if (bytes.length <= maxBytes) {
		return text;
	}

	let headEnd = Math.floor((maxBytes * 2) / 3);
	while (isContinuation(bytes[headEnd])) {
		headEnd--;
	}

	let tailStart = bytes.length - (maxBytes - headEnd);
	while (isContinuation(bytes[tailStart])) {
		tailStart++;
	}

	const head = bytes.toString('utf8', 0, headEnd);
	const tail = bytes.toString('utf8', tailStart);
	return `${head}\n[… ${tailStart - headEnd} bytes left out …]\n${tail}`;
}
