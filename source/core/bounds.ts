const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * `text` in at most about `maxBytes` bytes of UTF-8: unchanged if it fits, else its head (two thirds) and its tail around a line with the number of omitted bytes. That
 * line is not counted; no character is torn.
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

/** An estimate that needs no model. */
export const charactersPerToken = 4;

/** Estimated tokens of a text, where no model has counted them. Pass bytes of UTF-8 for text of any script: a Chinese character is about a token. */
export const estimatedTokens = (characters: number): number =>
	Math.ceil(characters / charactersPerToken);

/** Estimated tokens of a streamed text. Models send a token at a time: each piece is at least one token. */
export const streamedTokens = (bytes: number, pieces: number): number =>
	Math.max(estimatedTokens(bytes), pieces);

const noNames: ReadonlySet<string> = new Set();

/** Bytes of UTF-8 of all texts in a value, except in members with the names of `but`. Binary data counts as 0. */
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

/** Sets a member of a map, as its latest, and drops the oldest ones above `max`. */
export function keepLast<Key, Value>(
	map: Map<Key, Value>,
	[key, value]: readonly [Key, Value],
	max: number,
): void {
	map.delete(key);
	map.set(key, value);
	dropOldest(map, max);
}

/** Drops the oldest members of a map until at most `max` are left. */
export function dropOldest<Key>(map: Map<Key, unknown>, max: number): void {
	for (const key of map.keys()) {
		if (map.size <= max) {
			return;
		}

		map.delete(key);
	}
}

/** A request of a tool server to our model, within the bounds and the policy of the server. Its texts are untrusted. @see manual/tool-servers.md#bounds */
export type SampleRequest = {
	/** The server's name in the configuration. */
	readonly server: string;
	/** Used instead of the configured model; same provider. */
	readonly model?: string;
	/** Written by the server, as the messages are. */
	readonly system?: string;
	readonly messages: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens: number;
	readonly temperature?: number;
	readonly stopSequences?: readonly string[];
	/** Aborts at the timeout of the policy, and when the server cancels or disconnects. */
	readonly signal: AbortSignal;
};

export type Sampled = {
	readonly text: string;
	/** Name of the model that answered. */
	readonly model: string;
	/** `endTurn` or `maxTokens`; absent if the provider does not tell. */
	readonly stopReason?: string;
};
