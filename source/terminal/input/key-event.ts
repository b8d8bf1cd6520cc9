/* oxlint-disable no-control-regex -- terminal input is made of control characters */
import {keyOfSequence} from './key-sequences.ts';

/**
 * One key press, named the same in every terminal.
 *
 * `id` is what tables bind: printable keys are themselves (`j`, `G`, `?`, `é`), others have names (`enter`, `esc`, `tab`,
 * `space`, `backspace`, `delete`, `insert`, `up`, `down`, `left`, `right`, `home`, `end`, `pgup`, `pgdn`, `f1`…`f12`), with
 * the modifiers `ctrl+`, `alt+`, `shift+` in this order in front (`ctrl+k`, `shift+tab`, `alt+a`). Shift is part of a printable
 * key (`G`, not `shift+g`). `Ctrl-j` (a line feed) stays `ctrl+j`, `Ctrl-h` is `backspace`, as terminals send them.
 */
export type KeyEvent = {
	readonly id: string;
	/** The text that a field inserts: one grapheme; empty for every other key. */
	readonly text: string;
	/** When the key was read: `Clock.monotonic()`, milliseconds. */
	readonly t: number;
	/** Whether the key arrived alone in its read: never true in a paste or a burst. */
	readonly alone: boolean;
};

/** The key of a sequence, without time. */
export type NamedKey = Pick<KeyEvent, 'id' | 'text'>;

const controlNames: Readonly<Record<string, string>> = {
	'\0': 'ctrl+space',
	'\b': 'backspace',
	'\t': 'tab',
	'\r': 'enter',
	'\u001B': 'esc',
	'\u001C': 'ctrl+\\',
	'\u001D': 'ctrl+]',
	'\u001E': 'ctrl+^',
	'\u001F': 'ctrl+_',
	'\u007F': 'backspace',
};

/**
 * Parses one complete sequence (a grapheme, a control character, or an escape sequence: xterm, rxvt, Linux console, SS3, kitty CSI u, modifyOtherKeys).
 * `undefined` if it is no key: a terminal's reply, a key release, half a character.
 */
export function parseKey(raw: string): NamedKey | undefined {
	if (raw.length > 1 && raw.startsWith('\u001B')) {
		const key = keyOfSequence(raw);
		return key ?? parseEscaped(raw);
	}

	const control = controlNames[raw];
	if (control !== undefined) {
		return {id: control, text: ''};
	}

	if (/^[\u0001-\u001A]$/.test(raw)) {
		return {id: `ctrl+${String.fromCodePoint(raw.charCodeAt(0) + 96)}`, text: ''};
	}

	// The decoder replaces broken bytes by replacement characters.
	return raw === '' || /[\p{Cc}\p{Cs}\uFFFD]/u.test(raw)
		? undefined
		: {id: raw === ' ' ? 'space' : raw, text: raw};
}

/** Alt sends Escape before the key. */
function parseEscaped(raw: string): NamedKey | undefined {
	const inner = raw.slice(1);
	if (/^\u001B?[[O]./s.test(inner)) {
		return inner.startsWith('\u001B') ? withAlt(keyOfSequence(inner)) : undefined;
	}

	return withAlt(parseKey(inner));
}

function withAlt(key: NamedKey | undefined): NamedKey | undefined {
	if (!key || key.id.includes('alt+')) {
		return undefined;
	}

	const id = key.id.startsWith('ctrl+') ? `ctrl+alt+${key.id.slice(5)}` : `alt+${key.id}`;
	return {id, text: ''};
}

const named: Readonly<Record<string, string>> = {
	enter: '\r',
	tab: '\t',
	'shift+tab': '\u001B[Z',
	esc: '\u001B',
	space: ' ',
	backspace: '\u007F',
	delete: '\u001B[3~',
	insert: '\u001B[2~',
	up: '\u001B[A',
	down: '\u001B[B',
	right: '\u001B[C',
	left: '\u001B[D',
	home: '\u001B[H',
	end: '\u001B[F',
	pgup: '\u001B[5~',
	pgdn: '\u001B[6~',
	'ctrl+space': '\0',
};

/** The bytes that a terminal sends for a key with this `KeyEvent.id`; throws for unknown names. */
export function bytesOfKey(id: string): string {
	if (Object.hasOwn(named, id)) {
		return named[id] ?? id;
	}

	if (id.startsWith('alt+')) {
		return `\u001B${bytesOfKey(id.slice(4))}`;
	}

	if (/^ctrl\+[a-z\\\]^_]$/.test(id)) {
		return String.fromCodePoint((id.codePointAt(5) ?? 0) & 0x1f);
	}

	if ([...new Intl.Segmenter().segment(id)].length === 1) {
		return id;
	}

	throw new Error(`Cannot press "${id}": no such key in source/terminal/input/key-event.ts`);
}
