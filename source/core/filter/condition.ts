/**
 * What a word of a filter asks of one field, as data: whoever has many rows may ask them with it before an item is made of each. Fields have the names
 * of the terms that bring them.
 */
export type Condition = {
	/** It must not hold. */
	readonly isNegated?: boolean;
} & (
	| {
			/** One of the patterns fits, as `textTerm` says; they are in lower case. */
			readonly kind: 'text';
			readonly field: string;
			readonly patterns: readonly string[];
	  }
	| {
			readonly kind: 'number';
			readonly field: string;
			/** At least this; exclusive with `isOver`. */
			readonly from?: number;
			/** At most this; exclusive with `isUnder`. */
			readonly to?: number;
			readonly isOver?: boolean;
			readonly isUnder?: boolean;
	  }
	/** At least what `from` says for the present, milliseconds since 1970. */
	| {readonly kind: 'since'; readonly field: string; readonly from: (now: number) => number}
	/** The text, in lower case, stands in the haystack. */
	| {readonly kind: 'word'; readonly text: string}
	/** Something was received and is kept; with `text`, that stands in it in lower case, unless it has a backslash. A word that reads it says nothing more here; the negation of it says nothing at all. */
	| {readonly kind: 'body'; readonly text?: string}
);
