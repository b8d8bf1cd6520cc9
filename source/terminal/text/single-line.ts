import {type Safe, escapeLine} from '../../core/untrusted.ts';

/**
 * Typed or pasted text for a one-line field: line breaks and tabs become blanks, control and format characters are dropped, the rest goes through `escapeLine`. At
 * most `maxLength` UTF-16 units, cut between characters. Idempotent.
 */
export function singleLine(text: string, maxLength: number): Safe {
	const line = text
		.slice(0, maxLength * 4)
		.replaceAll(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, ' ')
		.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
	// Composed again: a flag that became letters may combine with a mark.
	const cleaned = escapeLine(line, line.length * 8).normalize('NFC');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
	return cleaned.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '') as Safe;
}
