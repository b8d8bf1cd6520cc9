import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createLineReader, type LongLines} from '../../../source/mcp/wire/line-reader.ts';

function read(chunks: readonly Buffer[], above: LongLines, maxBytes = 1000) {
	const lines: string[] = [];
	let stops = 0;
	const reader = createLineReader({
		maxBytes,
		above,
		onLine: line => lines.push(line),
		onTooLong: () => stops++,
	});
	for (const chunk of chunks) {
		reader.push(chunk);
	}

	reader.end();
	return {lines, stops};
}

test('how the bytes are cut does not matter, also within a character', () => {
	const lines = fc.array(fc.constantFrom('', 'one', 'zwei €', '🧵'), {minLength: 1});
	fc.assert(
		fc.property(
			lines,
			fc.constantFrom('\n', '\r\n'),
			fc.integer({min: 1, max: 7}),
			(texts, end, size) => {
				const bytes = Buffer.from(texts.map(text => `${text}${end}`).join(''));
				const chunks = Array.from({length: Math.ceil(bytes.length / size)}, (_, index) =>
					bytes.subarray(index * size, (index + 1) * size),
				);
				expect(read(chunks, 'stop').lines).toEqual(texts);
			},
		),
	);
});

test('what comes after the last newline counts', () => {
	expect(read([Buffer.from('one\ntwo')], 'cut').lines).toEqual(['one', 'two']);
});

test('a long line is cut, and the next is whole', () => {
	const chunks = [Buffer.from('123456'), Buffer.from('7890\nnext\n')];

	expect(read(chunks, 'cut', 8)).toEqual({lines: ['12345678', 'next'], stops: 0});
});

test('a long line stops everything, once', () => {
	const chunks = [Buffer.from('one\n123456'), Buffer.from('7890\nnext\n'), Buffer.from('more\n')];

	expect(read(chunks, 'stop', 8)).toEqual({lines: ['one'], stops: 1});
});
