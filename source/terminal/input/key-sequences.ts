/* oxlint-disable no-control-regex -- terminal input is made of control characters */
import type {NamedKey} from './key-event.ts';

const shiftBit = 1;
const ctrlBit = 4;
/** Alt, and Meta on keyboards that have both. */
const altBits = 2 | 32;
/** Super and Hyper. */
const unusableBits = 8 | 16;

const arrows = {A: 'up', B: 'down', C: 'right', D: 'left'} as const;

const csiLetters: Readonly<Record<string, string>> = {
	...arrows,
	F: 'end',
	H: 'home',
	P: 'f1',
	Q: 'f2',
	R: 'f3',
	S: 'f4',
	Z: 'tab',
};

const csiNumbers: Readonly<Record<number, string>> = {
	...inTurn(1, 'home insert delete end pgup pgdn home end'),
	...inTurn(11, 'f1 f2 f3 f4 f5'),
	...inTurn(17, 'f6 f7 f8 f9 f10'),
	...inTurn(23, 'f11 f12'),
};

const rxvtModifiers: Readonly<Record<string, number>> = {
	$: shiftBit,
	'^': ctrlBit,
	'@': ctrlBit | shiftBit,
};

/** Key numbers of the kitty protocol; keypad keys count as the keys they stand for. */
const codePoints: Readonly<Record<number, string>> = {
	8: 'backspace',
	9: 'tab',
	13: 'enter',
	27: 'esc',
	32: 'space',
	127: 'backspace',
	57_414: 'enter',
	...inTurn(57_417, 'left right up down pgup pgdn home end insert delete'),
};

const keypadText = '0123456789./*-+';
const firstKeypadCodePoint = 57_399;

/** Keys of the application keypad after SS3: `ESC O j` is `*`. */
const ss3Keypad: Readonly<Record<string, string>> = Object.fromEntries(
	Array.from('*+,-./0123456789', (text, index) => [String.fromCodePoint(0x6a + index), text]),
);

const release = '3';

/** The key of a CSI or SS3 sequence, with modifiers. `undefined` for unknown keys, releases, and keys with Super or Hyper, which belong to the window manager. */
export function keyOfSequence(raw: string): NamedKey | undefined {
	for (const [pattern, read] of forms) {
		const match = pattern.exec(raw);
		if (match) {
			return read(match.slice(1).map(part => part ?? ''));
		}
	}

	return undefined;
}

type Read = (parts: readonly string[]) => NamedKey | undefined;

const forms: ReadonlyArray<readonly [RegExp, Read]> = [
	// CSI 1;5A, or with the kitty protocol's event type CSI 1;5:2A
	[
		/^\u001B\[(?:1;(\d{1,3})(?::(\d))?)?([A-Z])$/,
		([modifiers = '', event, letter = '']) =>
			event === release
				? undefined
				: named(csiLetters[letter], bitsOf(modifiers) | (letter === 'Z' ? shiftBit : 0)),
	],
	// xterm's modifyOtherKeys: CSI 27;5;107~
	[
		/^\u001B\[27;(\d{1,3});(\d{1,7})~$/,
		([modifiers = '', code = '']) => ofCodePoint(Number(code), {bits: bitsOf(modifiers)}),
	],
	[
		/^\u001B\[(\d{1,3})(?:;(\d{1,3})(?::(\d))?)?~$/,
		([number = '', modifiers = '', event]) =>
			event === release ? undefined : named(csiNumbers[Number(number)], bitsOf(modifiers)),
	],
	// kitty: CSI code:shifted:base;modifiers:event;text u
	[
		/^\u001B\[(\d{1,7})(?::(\d{0,7})(?::\d{0,7})?)?(?:;(\d{0,3})(?::(\d))?(?:;([\d:]{1,64}))?)?u$/,
		([code = '', shifted = '', modifiers = '', event, text = '']) =>
			event === release
				? undefined
				: ofCodePoint(Number(code), {
						bits: bitsOf(modifiers),
						shifted: Number(shifted),
						text: text.split(':').map(Number),
					}),
	],
	[/^\u001B\[\[([A-E])$/, ([letter = '']) => named(`f${letter.charCodeAt(0) - 64}`, 0)],
	[
		/^\u001B\[(\d)([$^@])$/,
		([number = '', sign = '']) => named(csiNumbers[Number(number)], rxvtModifiers[sign] ?? 0),
	],
	[/^\u001B\[([a-d])$/, ([letter = '']) => named(csiLetters[letter.toUpperCase()], shiftBit)],
	[/^\u001BO([a-d])$/, ([letter = '']) => named(csiLetters[letter.toUpperCase()], ctrlBit)],
	[/^\u001BOM$/, () => named('enter', 0)],
	[
		/^\u001BO(\d{0,3})([A-S])$/,
		([modifiers = '', letter = '']) => named(csiLetters[letter], bitsOf(modifiers)),
	],
	[/^\u001BO([j-y])$/, ([letter = '']) => printable(ss3Keypad[letter] ?? '', 0)],
];

/** Terminals send the modifier bits plus one. */
const bitsOf = (modifiers: string) => Math.max(0, Number(modifiers) - 1);

function named(name: string | undefined, bits: number): NamedKey | undefined {
	return name === undefined || (bits & unusableBits) !== 0
		? undefined
		: {id: prefix(bits) + name, text: ''};
}

function printable(character: string, bits: number): NamedKey | undefined {
	if (character === '' || (bits & unusableBits) !== 0) {
		return undefined;
	}

	const withoutShift = bits & ~shiftBit;
	const isShifted = (bits & shiftBit) !== 0;
	const upper = character.toUpperCase();
	const plain = (bits & (ctrlBit | altBits)) === 0;
	const id =
		isShifted && (bits & ctrlBit) === 0 && upper !== character
			? prefix(withoutShift) + upper
			: prefix(bits) + character;
	const isText = plain && (!isShifted || upper !== character);
	return {id, text: isText ? id : ''};
}

type CodePointKey = {
	readonly bits: number;
	readonly shifted?: number;
	readonly text?: readonly number[];
};

function ofCodePoint(
	code: number,
	{bits, shifted = 0, text = []}: CodePointKey,
): NamedKey | undefined {
	const name = codePoints[code];
	if (name !== undefined) {
		const key = named(name, bits);
		return key && name === 'space' && key.id === 'space' ? {id: 'space', text: ' '} : key;
	}

	const plain = (bits & (ctrlBit | altBits | unusableBits)) === 0;
	const typed = text.map(characterOf).join('');
	if (plain && typed !== '') {
		return {id: typed, text: typed};
	}

	const keypad = keypadText[code - firstKeypadCodePoint];
	const isShifted = (bits & shiftBit) !== 0;
	const shiftedCharacter = isShifted ? characterOf(shifted) : '';
	return shiftedCharacter === ''
		? printable(keypad ?? characterOf(code), bits)
		: printable(shiftedCharacter, bits & ~shiftBit);
}

/** The typed character of a code point; empty for control characters, surrogates and private use (kitty's other keys). */
function characterOf(code: number): string {
	if (!Number.isInteger(code) || code < 32 || code > 0x10_ff_ff) {
		return '';
	}

	const character = String.fromCodePoint(code);
	return /[\p{Cc}\p{Cs}\p{Co}\uFFFD]/u.test(character) ? '' : character;
}

const prefix = (bits: number) =>
	(bits & ctrlBit ? 'ctrl+' : '') +
	(bits & altBits ? 'alt+' : '') +
	(bits & shiftBit ? 'shift+' : '');

/** Names for consecutive numbers. */
function inTurn(first: number, names: string): Readonly<Record<number, string>> {
	return Object.fromEntries(names.split(' ').map((name, index) => [first + index, name]));
}
