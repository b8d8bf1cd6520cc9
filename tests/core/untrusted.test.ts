import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import {Unicode11Addon} from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, test} from 'vitest';
import {
	escapeLineCounting,
	escapeLine,
	escapeBlockCounting,
	escapeBlock,
} from '../../source/core/untrusted.ts';
import {attackCorpus} from '../helpers/attack-corpus.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {randomOf, runSeed} from '../helpers/random.ts';

/** A terminal that tells how many columns a text takes, as its own cursor sees it. */
function createRuler(addon: Unicode11Addon | UnicodeGraphemesAddon, version?: string) {
	const terminal = new headless.Terminal({cols: 60_000, rows: 2, allowProposedApi: true});
	terminal.loadAddon(addon);
	if (version !== undefined) {
		terminal.unicode.activeVersion = version;
	}

	return {
		version: terminal.unicode.activeVersion,
		async widthOf(text: string): Promise<number> {
			await new Promise<void>(resolve => {
				terminal.write(`\r${text}`, resolve);
			});
			return terminal.buffer.active.cursorX;
		},
		[Symbol.dispose]: () => {
			terminal.dispose();
		},
	};
}

const createRulers = () => {
	const stack = new DisposableStack();
	const rulers = [
		stack.use(createRuler(new Unicode11Addon(), '11')),
		stack.use(createRuler(new UnicodeGraphemesAddon())),
	];
	return {rulers, [Symbol.dispose]: () => stack.dispose()};
};

/** Whom the terminals contradict, in words; empty when all agree. */
async function disagreement(text: string, {rulers}: ReturnType<typeof createRulers>) {
	const expected = stringWidth(text);
	for (const ruler of rulers) {
		// oxlint-disable-next-line no-await-in-loop -- one terminal at a time
		const width = await ruler.widthOf(text);
		if (width !== expected) {
			return `${ruler.version}: ${width} instead of ${expected}: ${text}`.slice(0, 500);
		}
	}

	return '';
}

/** Any text, with the characters that matter far more often than chance would have it. */
const nasty = fc.string({
	unit: fc.oneof(
		fc.constantFrom(...new Set(attackCorpus.filter(text => text.length < 200).join(''))),
		fc.string({unit: 'binary', minLength: 1, maxLength: 1}),
		fc.integer({min: 0, max: 0xff_ff}).map(code => String.fromCharCode(code)),
		fc.integer({min: 0x9_00, max: 0x1a_ff}).map(code => String.fromCharCode(code)),
		fc.integer({min: 0x1_f0_00, max: 0x1_ff_ff}).map(code => String.fromCodePoint(code)),
	),
	maxLength: 60,
});

const forbidden = /[^\P{C}]|[\p{Zl}\p{Zp}\p{Cs}]/u;

describe('cell', () => {
	test.for([
		['Fix flaky test #123 in api', 'Fix flaky test #123 in api', 0],
		['日本語のタイトル', '日本語のタイトル', 0],
		['a\u001b]52;c;ZXZpbA==\u0007b', 'a␛]52;c;ZXZpbA==␇b', 2],
		['\u001b[31mred', '␛[31mred', 1],
		['\u009b31m', '\\u{9b}31m', 1],
		['nul\u0000 del\u007f', 'nul␀ del␡', 2],
		['file\u202egnp.exe', 'file\\u{202e}gnp.exe', 1],
		['pay\u200bpal', 'pay\\u{200b}pal', 1],
		['tag\u{e0041}', 'tag\\u{e0041}', 1],
		['lone \ud83d end', 'lone \ufffd end', 1],
		['safe\rEVIL', 'safe␍EVIL', 1],
		['two\nlines\r\nthree', 'two␊lines␊three', 0],
		['a\u2028b', 'a\\u{2028}b', 1],
		['tab\there', 'tab here', 0],
		['⚠️ deploy 👍🏽 👨‍👩‍👧 1️⃣', '⚠ deploy 👍 👨👩👧 1', 0],
		['a\u200db', 'a\\u{200d}b', 1],
		['กำลัง', 'ก\u0e4dาลัง', 0],
		['new 🫠', 'new □', 0],
		['🇩🇪', 'DE', 0],
		['e\u0301', 'é', 0],
		['ᄒ\u1161\u11ab', '한', 0],
		['\u0301x', '◌\u0301x', 0],
		['constructor __proto__ %s', 'constructor __proto__ %s', 0],
	] as const)('%j becomes %j with %i flags', ([text, shown, flags]) => {
		expect(escapeLineCounting(text)).toEqual({text: shown, flags});
	});

	test('counts every hostile character and nothing innocent', () => {
		expect(escapeLineCounting('\u001b\u0007\u202e\u200b\u{e0041}\udc00').flags).toBe(6);
		expect(escapeLineCounting('⚠️👍🏽👨‍👩‍👧1️⃣\t\n🇩🇪กำ🫠 ').flags).toBe(0);
	});

	test('bounds the marks on one character', () => {
		const {text, flags} = escapeLineCounting(`Z${'\u0301'.repeat(500)}algo`);

		expect([...text.matchAll(/\p{M}/gu)].length).toBeLessThanOrEqual(4);
		expect(flags).toBeGreaterThan(400);
	});

	test('cuts to the length with an ellipsis and never tears a surrogate pair', () => {
		expect(escapeLine('abcdef', 4)).toBe('abc…');
		expect(escapeLine('abcd', 4)).toBe('abcd');
		expect(escapeLine('ab😀cd', 4)).toBe('ab…');
		expect(escapeLine('😀', 1)).toBe('…');
		expect(escapeLine('abc', 0)).toBe('');
		expect(escapeLine('x'.repeat(5000))).toHaveLength(1000);
	});

	test('works no longer than the length it may return, whatever vanishes', () => {
		const text = escapeLine(`${'\ufe0f'.repeat(1_000_000)}x`, 10);

		expect(text).toBe('…');
	});
});

describe('block', () => {
	test('keeps line breaks, CRLF as one, and shows a lone CR', () => {
		expect(escapeBlockCounting('a\r\nb\nc\rd\n')).toEqual({text: 'a\nb\nc␍d\n', flags: 1});
	});

	test('cuts lines and length', () => {
		expect(escapeBlock('1\n2\n3\n4', {maxLines: 2})).toBe('1\n2…');
		expect(escapeBlock('1\n2\n', {maxLines: 2})).toBe('1\n2\n');
		expect(escapeBlock('x'.repeat(50), {maxLength: 10})).toBe(`${'x'.repeat(9)}…`);
		expect(escapeBlock('\n'.repeat(1_000_000), {maxLines: 3})).toBe('\n\n…');
	});

	test('gives a mark at the start of a line something to stand on', () => {
		expect(escapeBlock('a\n\u0301b')).toBe('a\n◌\u0301b');
	});
});

describe('attacks', () => {
	test('the corpus has at least 300 different texts', () => {
		expect(new Set(attackCorpus).size).toBeGreaterThanOrEqual(300);
	});

	test('no text of the corpus leaves anything but printable characters', () => {
		for (const text of attackCorpus) {
			expect(escapeLine(text)).not.toMatch(forbidden);
			expect(escapeBlock(text).replaceAll('\n', '')).not.toMatch(forbidden);
		}
	});

	test('nor does any other text', () => {
		fc.assert(
			fc.property(nasty, text => {
				expect(escapeLine(text)).not.toMatch(forbidden);
				expect(escapeBlock(text).replaceAll('\n', '')).not.toMatch(forbidden);
			}),
			{numRuns: propertyRuns(1000)},
		);
	});

	test.for(['\u0340', '\u0341', '\u0343', '\u0344', 'e\u0340'])(
		'a mark that is another name of a mark (%j) gets its usual name',
		text => {
			const once = escapeLine(text);
			expect(escapeLineCounting(once)).toEqual({text: once, flags: 0});
		},
	);

	test('marks without a letter are put in order at once', () => {
		const text = escapeLine('\u033d\u0316');
		expect(text).toBe('◌\u0316\u033d');
		expect(escapeLine(text)).toBe(text);
	});

	test('what is clean stays as it is', () => {
		fc.assert(
			fc.property(nasty, text => {
				const once = escapeLine(text);
				expect(escapeLineCounting(once)).toEqual({text: once, flags: 0});
			}),
			{numRuns: propertyRuns(1000)},
		);
	});

	test('the result is never longer than asked, in whole characters', () => {
		fc.assert(
			fc.property(nasty, fc.nat(40), (text, maxLength) => {
				const shown = escapeLine(text, maxLength);
				expect(shown.length).toBeLessThanOrEqual(maxLength);
				expect(shown.isWellFormed()).toBe(true);
			}),
			{numRuns: propertyRuns(1000)},
		);
	});
});

describe('width: string-width agrees with a terminal under the Unicode 11 and the grapheme tables', () => {
	test('for every code point, alone, after a letter, after a wide character and before one of its kind', async () => {
		using rulers = createRulers();
		const random = randomOf(runSeed);
		const chunk = 1024;
		for (let start = 0; start < 0x11_00_00; start += chunk) {
			// Most of the space is unassigned or private, and all of that looks the same.
			if ((start >= 0x4_00_00 && start < 0xe_00_00) || start >= 0xf_04_00) {
				continue;
			}

			// So do ideographs, and what lies above the symbols.
			const isAlike = start >= 0x2_00_00 || (start >= 0x34_00 && start < 0xa0_00);
			if (isAlike && random() >= propertyRuns(1000) / 1000) {
				continue;
			}

			const text = Array.from({length: chunk}, (_, index) => String.fromCodePoint(start + index))
				// What is shown as its number, or as a box, is the same few signs whatever stands beside it.
				.filter(character => {
					const shown = escapeLine(character);
					return shown === character || !/^[ -~□]+$/.test(shown);
				})
				.map(character => `${character}x${character}中${character}${character}`)
				.join('|');
			// oxlint-disable-next-line no-await-in-loop -- one terminal
			expect(await disagreement(escapeLine(text, 60_000), rulers)).toBe('');
		}
	});

	test('for the corpus', async () => {
		using rulers = createRulers();
		const texts = attackCorpus.map(text => escapeLine(text));
		for (let start = 0; start < texts.length; start += 20) {
			const text = texts.slice(start, start + 20).join('|');
			// oxlint-disable-next-line no-await-in-loop -- one terminal
			expect(await disagreement(text, rulers)).toBe('');
		}
	});

	test('for any text', async () => {
		using rulers = createRulers();
		await fc.assert(
			fc.asyncProperty(nasty, async text => {
				expect(await disagreement(escapeLine(text), rulers)).toBe('');
			}),
			{numRuns: propertyRuns(700)},
		);
	});

	test('for any line of a block', async () => {
		using rulers = createRulers();
		await fc.assert(
			fc.asyncProperty(nasty, async text => {
				for (const line of escapeBlock(text).split('\n')) {
					// oxlint-disable-next-line no-await-in-loop -- one terminal
					expect(await disagreement(line, rulers)).toBe('');
				}
			}),
			{numRuns: propertyRuns(300)},
		);
	});
});

test('a long text does not exhaust the stack', () => {
	expect(escapeBlock('x'.repeat(20_000_000), {maxLength: 8_000_000})).toHaveLength(8_000_000);
});
