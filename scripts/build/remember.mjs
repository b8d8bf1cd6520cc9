/** Texts of a few screens, twice: a full half makes way for a new one, and what is asked for again moves on with it. */
const most = 1024;
/** No row is longer; what is would be kept for nothing. */
const longest = 2000;

/** The same function of a text, which it is asked again and again for few texts. */
export function remember(answer) {
	let young = new Map();
	let old = new Map();
	return text => {
		const known = young.get(text);
		if (known !== undefined) {
			return known;
		}

		const result = old.get(text) ?? answer(text);
		if (text.length <= longest) {
			if (young.size >= most) {
				old = young;
				young = new Map();
			}

			young.set(text, result);
		}

		return result;
	};
}
