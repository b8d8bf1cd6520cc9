import {cell, type Safe} from '../../core/untrusted.ts';

/**
 * What a one-line field may hold, made from what was typed or pasted: line breaks and tabs are blanks, every other control
 * character is dropped, the rest is cleaned by `cell()`. At most `maxLength` UTF-16 units.
 */
export function singleLine(text: string, maxLength: number): Safe {
	const line = text
		.slice(0, maxLength * 4)
		.replaceAll(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, ' ')
		.replaceAll(/[\p{Cc}\p{Cs}]/gu, '');
	return cell(line, maxLength).text;
}
