import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {boundText} from '../../source/core/bounds.ts';

test('a text that fits stays as it is', () => {
	expect(boundText('ü'.repeat(50), 100)).toBe('ü'.repeat(50));
	expect(boundText('', 0)).toBe('');
});

test('a text that does not fit keeps its head and its tail', () => {
	expect(boundText(`${'a'.repeat(100)}${'b'.repeat(100)}`, 30)).toBe(
		`${'a'.repeat(20)}\n[… 170 bytes left out …]\n${'b'.repeat(10)}`,
	);
});

test('no text exceeds its bound by more than the line about it, and no character is torn', () => {
	fc.assert(
		fc.property(
			fc.string({unit: 'grapheme', maxLength: 400}),
			fc.integer({min: 0, max: 300}),
			(text, maxBytes) => {
				const bounded = boundText(text, maxBytes);
				expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(maxBytes + 45);
				expect(bounded).not.toContain('\uFFFD');
				expect(bounded === text || /\n\[… \d+ bytes left out …\]\n/.test(bounded)).toBe(true);
			},
		),
	);
});
