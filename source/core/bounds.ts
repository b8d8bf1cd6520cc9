const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * Shortens `text` to about `maxBytes` bytes of UTF-8: replaces its middle by a line with the number of omitted bytes (not counted); two thirds of the rest are its
 * beginning. Splits no character. A text that fits is unchanged.
 */
export function boundText(text: string, maxBytes: number): string {
	// A UTF-16 unit is at most three bytes, so short texts need no counting.
	if (text.length * 3 <= maxBytes) {
		return text;
	}

	const bytes = Buffer.from(text, 'utf8');
	if (bytes.length <= maxBytes) {
		return text;
	}

	let headEnd = Math.floor((maxBytes * 2) / 3);
	while (isContinuation(bytes[headEnd])) {
		headEnd--;
	}

	let tailStart = bytes.length - (maxBytes - headEnd);
	while (isContinuation(bytes[tailStart])) {
		tailStart++;
	}

	const head = bytes.toString('utf8', 0, headEnd);
	const tail = bytes.toString('utf8', tailStart);
	return `${head}\n[… ${tailStart - headEnd} bytes left out …]\n${tail}`;
}

/** Assumed where no model has counted the tokens. */
export const charactersPerToken = 4;

/** Estimated tokens of a text, where no model has counted them. Pass bytes of UTF-8 for text of any script: a Chinese character is about a token. */
export const estimatedTokens = (characters: number): number =>
	Math.ceil(characters / charactersPerToken);

/** Estimated tokens of a streamed text. Models send a token at a time: each piece is at least one token. */
export const streamedTokens = (bytes: number, pieces: number): number =>
	Math.max(estimatedTokens(bytes), pieces);

const noNames: ReadonlySet<string> = new Set();

/** Bytes of UTF-8 of all texts in a value, except in members named in `but`. Binary data counts as 0. */
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

/** Sets an entry of a map, moves it to the end, and removes the oldest entries above `max`. */
export function keepLast<Key, Value>(
	map: Map<Key, Value>,
	[key, value]: readonly [Key, Value],
	max: number,
): void {
	map.delete(key);
	map.set(key, value);
	dropOldest(map, max);
}

/** Removes the oldest entries of a map until at most `max` are left. */
export function dropOldest<Key>(map: Map<Key, unknown>, max: number): void {
	for (const key of map.keys()) {
		if (map.size <= max) {
			return;
		}

		map.delete(key);
	}
}

/** A tool server's request for an answer of our model, within the bounds and the policy for that server. Its texts are untrusted. @see manual/tool-servers.md#bounds */
export type SampleRequest = {
	/** The server's name in the configuration. */
	readonly server: string;
	/** Used instead of the configured model; same provider. */
	readonly model?: string;
	/** System prompt, written by the server like the messages. */
	readonly system?: string;
	readonly messages: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens: number;
	readonly temperature?: number;
	readonly stopSequences?: readonly string[];
	/** Aborted at the timeout of the policy, and when the server cancels or disconnects. */
	readonly signal: AbortSignal;
};

export type Sampled = {
	readonly text: string;
	/** Name of the model that answered. */
	readonly model: string;
	/** `endTurn` or `maxTokens`, if the provider reports it. */
	readonly stopReason?: string;
};
