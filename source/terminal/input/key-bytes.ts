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

/** What a terminal sends for a key of `KeyEvent.id`; throws for names that it does not know. */
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

	throw new Error(`Cannot press "${id}": no such key in source/terminal/input/key-bytes.ts`);
}
