import {isUtf8} from 'node:buffer';
import {SvcError} from '../../core/errors.ts';

export type NumberedLine = {
	/** From 1. */
	readonly number: number;
	/** Absent when the line is longer than what is read. */
	readonly text?: string;
};

const newline = 0x0a;

/** Marks the beginning of some files of text. */
const byteOrderMark = '\ufeff';

/**
 * The lines of a stream of bytes that hold anything, one at a time. Of a line above `maxLineBytes` nothing is kept but its number.
 *
 * @throws SvcError `line_invalid` for a line that is not UTF-8, named by its number
 */
export async function* readLines(
	chunks: AsyncIterable<Buffer>,
	{maxLineBytes}: {readonly maxLineBytes: number},
): AsyncIterable<NumberedLine> {
	let number = 1;
	let parts: Buffer[] = [];
	let bytes = 0;

	const add = (part: Buffer) => {
		bytes += part.length;
		if (bytes > maxLineBytes) {
			parts = [];
		} else {
			parts.push(part);
		}
	};

	const take = (): NumberedLine | undefined => {
		const line = Buffer.concat(parts);
		const isTooLong = bytes > maxLineBytes;
		if (!isUtf8(line)) {
			throw new SvcError('line_invalid', `Cannot read line ${number}: it is not UTF-8 text`);
		}

		parts = [];
		bytes = 0;
		const text = line.toString('utf8').replace(byteOrderMark, '').trim();
		const numbered = isTooLong ? {number} : {number, text};
		number++;
		return text === '' && !isTooLong ? undefined : numbered;
	};

	for await (const chunk of chunks) {
		let from = 0;
		for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
			add(chunk.subarray(from, end));
			from = end + 1;
			const line = take();
			if (line) {
				yield line;
			}
		}

		add(chunk.subarray(from));
	}

	const last = take();
	if (last) {
		yield last;
	}
}
