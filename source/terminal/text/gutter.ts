import {literal} from './safe.ts';

/**
 * Marks of the first column, where no stranger's text can stand. They mark rows that are not the first of something: however a row looks, its mark says
 * that it belongs to what stands above it.
 */
export const gutter = {
	/** The next line of the same text, or of JSON that is laid out in lines. */
	line: literal('│'),
	/** The row above goes on: it had no room. */
	goesOn: literal('┊'),
	/** A remark about what stands above. */
	remark: literal('└'),
} as const;
