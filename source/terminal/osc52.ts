const maxBase64Length = 74_994;
const screenChunk = 76;

/** Between us and the person's terminal, when that must be told to pass a sequence on. */
export type Multiplexer = 'tmux' | 'screen' | undefined;

/**
 * The sequence that asks the terminal to put `text` on the clipboard, wrapped for a multiplexer. `undefined` when `text` is
 * longer than terminals take (74,994 characters of base64).
 */
export function osc52(text: string, multiplexer: Multiplexer): string | undefined {
	const base64 = Buffer.from(text).toString('base64');
	if (base64.length > maxBase64Length) {
		return undefined;
	}

	const sequence = `\u001B]52;c;${base64}\u0007`;
	if (multiplexer === 'tmux') {
		return `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
	}

	if (multiplexer === 'screen') {
		// screen cuts strings of more than 768 bytes, so each piece goes in one of its own.
		const pieces = sequence.match(new RegExp(`[^]{1,${screenChunk}}`, 'g')) ?? [];
		return pieces.map(piece => `\u001BP${piece}\u001B\\`).join('');
	}

	return sequence;
}

/** The multiplexer that `environment` tells of. */
export function multiplexerOf(
	environment: Readonly<Record<string, string | undefined>>,
): Multiplexer {
	if (environment['TMUX']) {
		return 'tmux';
	}

	return environment['STY'] ? 'screen' : undefined;
}
