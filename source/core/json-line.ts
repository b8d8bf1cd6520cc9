/** Beyond what JSON escapes by itself: DEL, C1 controls (NEL among them), format and separator characters, tags. */
const hazards = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * `value` as JSON on one line, whoever cuts the lines: some readers break them at U+0085, U+2028 and U+2029 too. What a terminal might obey or hide is escaped as well.
 * The value is the same for who parses it.
 */
export const jsonLine = (value: unknown): string => escapeHazards(JSON.stringify(value));

/** The same for JSON that is written down already, on one line or on several. */
export const escapeHazards = (json: string): string => json.replaceAll(hazards, escaped);

const escaped = (character: string): string =>
	character
		.split('')
		.map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
		.join('');
