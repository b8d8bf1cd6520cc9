/** Controls but tab and line feed, bidi, zero width, tags: what nobody may see. */
const hidden = /[\u200B\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]|(?![\t\n])\p{Cc}/u;

/** Every text in a value, keys too. */
function textsOf(value: unknown): readonly string[] {
	if (typeof value === 'string') {
		return [value];
	}

	return typeof value === 'object' && value !== null
		? Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)])
		: [];
}

/** Those texts of a value, keys too, that hold what nobody may see. */
export const hiddenIn = (value: unknown): readonly string[] =>
	textsOf(value).filter(text => hidden.test(text));
