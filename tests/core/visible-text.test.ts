import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {visibleText} from '../../source/core/visible-text.ts';
import {attackCorpus} from '../helpers/attack-corpus.ts';

test.for([
	['plain text\n\twith a tab', 'plain text\n\twith a tab'],
	['clear \x1b[2J screen', String.raw`clear \u{1b}[2J screen`],
	['a\x9b31m', String.raw`a\u{9b}31m`],
	['pay \u202eeno', String.raw`pay \u{202e}eno`],
	['se\u200bcret', String.raw`se\u{200b}cret`],
	['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
	['hi\u{e0048}\u{e0069}', 'hi'],
	['soft\u00adhyphen \ufeffmark', 'softhyphen mark'],
	['torn \ud83d', 'torn \ufffd'],
	[
		'\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
		'\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
	],
	['\u{1f3f4}\u{e0078}\u{e0079}\u{e007f}', '\u{1f3f4}'],
	['👩‍💻 ❤️ 1️⃣', '👩‍💻 ❤️ 1️⃣'],
	['می‌خواهم', 'می‌خواهम'.replace('म', 'م')],
	['क्‍ष हिन्दी', 'क्‍ष हिन्दी'],
	['a\u200db', String.raw`a\u{200d}b`],
	['a\ufe0f\ufe0f', String.raw`a\u{fe0f}\u{fe0f}`],
	['x\u{e0100}', String.raw`x\u{e0100}`],
] as const)('%j is read as %j', ([text, expected]) => {
	expect(visibleText(text)).toBe(expected);
});

test('what remains of any text holds no control character, no bidi control and no tag', () => {
	fc.assert(
		fc.property(fc.string({unit: 'binary'}), text => {
			const shown = visibleText(text);

			expect(shown).not.toMatch(/(?![\t\n])\p{Cc}/u);
			expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c]/u);
			expect(shown).not.toMatch(/\p{Cs}/u);
			expect(visibleText(shown)).toBe(shown);
		}),
	);
});

test('nothing of the attack corpus reaches a model as it is when it holds a control character', () => {
	for (const text of attackCorpus) {
		expect(visibleText(text)).not.toMatch(/(?![\t\n])\p{Cc}/u);
	}
});
