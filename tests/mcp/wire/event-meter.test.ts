import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createEventMeter} from '../../../source/mcp/wire/event-meter.ts';

const measure = (text: string, limit: number, at: readonly number[] = []) => {
	const meter = createEventMeter(limit);
	const bytes = Buffer.from(text);
	const cuts = [
		0,
		...at.map(cut => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
		bytes.length,
	];
	const passes = cuts.slice(1).every((end, index) => meter.push(bytes.subarray(cuts[index], end)));
	return {passes, retryMs: meter.retryMs()};
};

test.for(['\n', '\r\n', '\r'])('an event ends at an empty line, with lines that end in %j', end => {
	const event = `data: ${'x'.repeat(80)}${end}${end}`;

	expect(measure(event.repeat(50), 100).passes).toBe(true);
	expect(measure(`data: ${'x'.repeat(80)}${end}`.repeat(2), 100).passes).toBe(false);
	expect(measure('x'.repeat(101), 100).passes).toBe(false);
});

test.for([
	['retry: 500\n', 500],
	['retry:500\r\n', 500],
	['retry: 5x\n', undefined],
	['retry: 1\nretry: 2\n', 2],
	['data: retry: 5\n', undefined],
	[`: ${'x'.repeat(1000)}\nretry: 3\n`, 3],
	['retry: 5', undefined],
] as const)('%j asks to come back after %j ms', ([text, retryMs]) => {
	expect(measure(text, 10_000).retryMs).toBe(retryMs);
});

test('how the bytes are cut does not matter', () => {
	const line = fc.constantFrom('data: x', '', 'retry: 7', `: ${'y'.repeat(50)}`, 'é');
	const end = fc.constantFrom('\n', '\r\n', '\r');
	const text = fc.array(fc.tuple(line, end)).map(lines => lines.flat().join(''));
	fc.assert(
		fc.property(
			text,
			fc.array(fc.nat(500), {maxLength: 8}),
			fc.integer({min: 1, max: 200}),
			(stream, cuts, limit) => {
				expect(measure(stream, limit, cuts)).toEqual(measure(stream, limit));
			},
		),
	);
});
