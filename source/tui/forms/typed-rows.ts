import {derive} from '../../core/derive.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {splitGraphemes} from '../../terminal/text/line-editor.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {isArea, type Typing} from './form.ts';

/** A text being typed, in rows, and where in them the next letter goes. */
export type TypedRows = {
	readonly rows: readonly Safe[];
	readonly cursor: {readonly row: number; readonly column: number};
};

/** A text being typed, in rows of at most `width` cells; a secret as stars. Memoised, because the screen is also redrawn between key presses. */
export const typedRows = derive((typing: Typing, width: number, isMasked: boolean): TypedRows => {
	const {lines, row, column} = isArea(typing)
		? typing
		: {lines: [typing.value], row: 0, column: typing.cursor};
	const rows: Safe[] = [];
	let cursor = {row: 0, column: 0};
	for (const [index, one] of lines.entries()) {
		const parts = splitGraphemes(one).map(part => (isMasked ? '*' : escapeLine(part, 64)));
		const wrapped = wrapParts(parts, width, index === row ? column : undefined);
		if (wrapped.cursor) {
			cursor = {row: rows.length + wrapped.cursor.row, column: wrapped.cursor.column};
		}

		rows.push(...wrapped.rows);
	}

	return {rows, cursor};
});

const cursorSign = literal('█');

/** The graphemes of one line as rows of at most `room` cells, with the cursor before the one at `cursor`. */
function wrapParts(
	parts: readonly string[],
	room: number,
	cursor: number | undefined,
): {
	readonly rows: readonly Safe[];
	readonly cursor?: {readonly row: number; readonly column: number};
} {
	const rows: Safe[] = [];
	let row = empty;
	let at: {readonly row: number; readonly column: number} | undefined;
	const put = (part: Safe) => {
		if (widthOf(row) + widthOf(part) > room) {
			rows.push(row);
			row = empty;
		}

		row = safe`${row}${part}`;
	};

	for (const [index, part] of [...parts, ''].entries()) {
		if (index === cursor) {
			put(cursorSign);
			at = {row: rows.length, column: widthOf(row) - 1};
		}

		if (part !== '') {
			put(escapeLine(part, 64));
		}
	}

	return {rows: [...rows, row], ...(at && {cursor: at})};
}
