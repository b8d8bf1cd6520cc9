/** A word of a filter as it was typed. */
export type FilterWord = {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	/** Every quote has its end. */
	readonly closed: boolean;
};

/** Splits at blanks that are not between quotes. `~` takes the next word along. */
export const wordsIn = (text: string): readonly FilterWord[] =>
	[...text.matchAll(/-?~(?: *(?:"[^"]*"?|[^ "])+)?|(?:"[^"]*"?|[^ "])+/g)].map(found => ({
		start: found.index,
		end: found.index + found[0].length,
		text: found[0],
		closed: (found[0].split('"').length - 1) % 2 === 0,
	}));

/** Name, path with its dot, operator and value of a word that has them. */
export const namedTerm = /^([a-z]+)((?:\.[^\s:<>="]+)?)(:|>=|<=|>|<)(.*)$/s;
