import {literal} from './safe.ts';

/** Marks in the first column, where foreign text never appears. A mark says that its row continues what is above, whatever the row looks like. */
export const gutter = {
	/** The next line of the same text, or of formatted JSON. */
	line: literal('│'),
	/** Wraps the row above. */
	goesOn: literal('┊'),
	/** A remark about what is above. */
	remark: literal('└'),
} as const;
