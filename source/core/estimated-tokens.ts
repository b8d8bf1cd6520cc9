/** As far as one can tell without the model. */
export const charactersPerToken = 4;

/** Tokens that so many characters may be, where no model has counted them. Of a text that may be in any script its bytes of UTF-8 are meant: a Chinese character is about a token. */
export const estimatedTokens = (characters: number): number =>
	Math.ceil(characters / charactersPerToken);

/** Tokens that a text of so many bytes may be which came in so many pieces. Models say a token at a time: a piece is at least one, also where it is a digit. */
export const streamedTokens = (bytes: number, pieces: number): number =>
	Math.max(estimatedTokens(bytes), pieces);

const noNames: ReadonlySet<string> = new Set();

/** Bytes of UTF-8 of all texts in a value, whatever they are called, but for members of these names. Binary data has none. */
export function textBytesIn(value: unknown, but: ReadonlySet<string> = noNames): number {
	if (typeof value === 'string') {
		return Buffer.byteLength(value);
	}

	if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
		return 0;
	}

	let bytes = 0;
	for (const [name, one] of Object.entries(value)) {
		bytes += but.has(name) ? 0 : textBytesIn(one, but);
	}

	return bytes;
}
