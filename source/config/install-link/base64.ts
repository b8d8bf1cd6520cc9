/** One of the two alphabets, whole groups of four, padded or not. */
const encodings = [/^[\w-]*(={0,2})$/, /^[A-Za-z0-9+/]*(={0,2})$/];

/**
 * The bytes of a text in base64url or base64, each with or without padding; `undefined` for what is neither: other characters, both alphabets in one text, a length
 * or a padding that does not come out, bits that belong to no byte.
 *
 * @see RFC 4648 §4, §5, §3.5
 */
export function decodeBase64(text: string): Uint8Array | undefined {
	const padding = encodings
		.map(encoding => encoding.exec(text)?.[1])
		.find(end => end !== undefined);
	if (padding === undefined || (padding !== '' && text.length % 4 !== 0)) {
		return undefined;
	}

	const bytes = Buffer.from(text, 'base64');
	const digits = text.slice(0, text.length - padding.length);
	return bytes.toString('base64url') === digits.replaceAll('+', '-').replaceAll('/', '_')
		? bytes
		: undefined;
}
