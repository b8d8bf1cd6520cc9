/** UTF-16 units by which texts are looked up. Shorter ones are words that occur everywhere; hiding them would hide the log. */
export const minHiddenLength = 6;

/** Texts that begin alike. */
type Bucket = {
	/** Longest first. */
	readonly lengths: readonly number[];
	readonly texts: ReadonlySet<string>;
};

/**
 * Replaces each of `texts` (of 6 characters or more) by `mark`: from left to right, of those that begin at one place the longest. They are looked up by how they begin, because a pattern of
 * thousands of them takes seconds to make and milliseconds for every line. Time grows linearly with the text.
 */
export function createHider(texts: readonly string[], mark: string): (text: string) => string {
	const alike = Map.groupBy(
		texts.filter(({length}) => length >= minHiddenLength),
		text => text.slice(0, minHiddenLength),
	);
	const buckets = new Map(
		alike.entries().map(([beginning, some]) => [beginning, bucketOf(some)] as const),
	);
	// Few texts need few places: most processes know a handful of secrets, and make a hider at each reload.
	const mayBegin = new Uint8Array(Math.min(maxHashCount, 64 * (buckets.size + 1)));
	const hashAt = (text: string, index: number): number => hashOf(text, index) % mayBegin.length;
	for (const beginning of buckets.keys()) {
		mayBegin[hashAt(beginning, 0)] = 1;
	}

	const lengthAt = (text: string, start: number): number => {
		const bucket = buckets.get(text.slice(start, start + minHiddenLength));
		return bucket?.lengths.find(length => bucket.texts.has(text.slice(start, start + length))) ?? 0;
	};

	return text => {
		let result = '';
		let copied = 0;
		for (let index = 0; index <= text.length - minHiddenLength; index++) {
			const length = mayBegin[hashAt(text, index)] === 0 ? 0 : lengthAt(text, index);
			if (length > 0) {
				result += text.slice(copied, index) + mark;
				copied = index + length;
				index = copied - 1;
			}
		}

		return copied === 0 ? text : result + text.slice(copied);
	};
}

const bucketOf = (texts: readonly string[]): Bucket => ({
	lengths: [...new Set(texts.map(({length}) => length))].toSorted((a, b) => b - a),
	texts: new Set(texts),
});

const maxHashCount = 2 ** 16;

/** Of three units: enough to pass over most places without a look at the map. */
const hashOf = (text: string, index: number): number =>
	text.charCodeAt(index) + text.charCodeAt(index + 1) * 31 + text.charCodeAt(index + 2) * 31 * 31;
