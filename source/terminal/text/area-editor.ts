import type {KeyEvent} from '../input/key-event.ts';
import {editLine, splitGraphemes, type LineText} from './line-editor.ts';
import {singleLine} from './single-line.ts';

/** A text of several lines being typed. `row` counts lines, `column` graphemes of its line, both from 0. */
export type AreaText = {
	readonly lines: readonly string[];
	readonly row: number;
	readonly column: number;
};

/** The most characters (UTF-16 units) in such a text. */
const maxAreaLength = 256 * 1024;

const pageRows = 10;

/** A text with the cursor at its end. */
export function areaText(value = ''): AreaText {
	const lines = value.split('\n');
	const row = lines.length - 1;
	return {lines, row, column: splitGraphemes(lines[row] ?? '').length};
}

/** The typed text. */
export const areaValue = ({lines}: AreaText): string => lines.join('\n');

const lineAt = ({lines, row}: AreaText): string => lines[row] ?? '';

const within = (value: number, most: number): number => Math.max(0, Math.min(value, most));

const withLine = (area: AreaText, {value, cursor}: LineText): AreaText => ({
	...area,
	lines: area.lines.map((line, row) => (row === area.row ? value : line)),
	column: cursor,
});

const current = (area: AreaText): LineText => ({value: lineAt(area), cursor: area.column});

/** How many more characters fit. */
const roomIn = ({lines}: AreaText): number =>
	Math.max(
		0,
		maxAreaLength - lines.reduce((sum, line) => sum + line.length, Math.max(0, lines.length - 1)),
	);

/** How long the cursor's line may become. */
const roomFor = (area: AreaText): number => lineAt(area).length + roomIn(area);

/** Inserts typed or pasted text at the cursor: line breaks stay, control characters are dropped, text beyond the limit is cut. */
export function insertArea(area: AreaText, text: string): AreaText {
	let room = roomIn(area);
	const pasted: string[] = [];
	// All lines at once: inserted one by one, each would copy the paste's thousands of lines.
	for (const line of text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '  ').split('\n')) {
		if (pasted.length > 0) {
			if (room === 0) {
				break;
			}

			room -= 1;
		}

		const kept = singleLine(line, room);
		pasted.push(kept);
		room -= kept.length;
	}

	const parts = splitGraphemes(lineAt(area));
	const head = parts.slice(0, area.column).join('');
	const tail = parts.slice(area.column).join('');
	const first = head + (pasted[0] ?? '');
	const last = pasted.length > 1 ? (pasted.at(-1) ?? '') : first;
	return {
		lines: [
			...area.lines.slice(0, area.row),
			...(pasted.length > 1 ? [first, ...pasted.slice(1, -1)] : []),
			last + tail,
			...area.lines.slice(area.row + 1),
		],
		row: area.row + pasted.length - 1,
		column: splitGraphemes(last).length,
	};
}

function breakLine(area: AreaText): AreaText {
	if (roomIn(area) === 0) {
		return area;
	}

	const parts = splitGraphemes(lineAt(area));
	return {
		lines: area.lines.toSpliced(
			area.row,
			1,
			parts.slice(0, area.column).join(''),
			parts.slice(area.column).join(''),
		),
		row: area.row + 1,
		column: 0,
	};
}

/** Joins the line of `row` with the one below, the cursor between them. */
function joinBelow(area: AreaText, row: number): AreaText {
	const [upper = '', lower = ''] = area.lines.slice(row, row + 2);
	return {
		lines: area.lines.toSpliced(row, 2, upper + lower),
		row,
		column: splitGraphemes(upper).length,
	};
}

function moveTo(area: AreaText, row: number, column: number): AreaText {
	const at = within(row, area.lines.length - 1);
	return {...area, row: at, column: within(column, splitGraphemes(area.lines[at] ?? '').length)};
}

const newlines: ReadonlySet<string> = new Set(['enter', 'ctrl+j', 'shift+enter', 'alt+enter']);

/** The text after a key; `undefined` for a key without meaning here. Pure. */
export function editArea(area: AreaText, key: Pick<KeyEvent, 'id' | 'text'>): AreaText | undefined {
	const {row, column, lines} = area;
	const end = splitGraphemes(lineAt(area)).length;
	if (key.text === '' && newlines.has(key.id)) {
		return breakLine(area);
	}

	switch (key.text === '' ? key.id : '') {
		case 'up':
			return row === 0 ? moveTo(area, 0, 0) : moveTo(area, row - 1, column);
		case 'down':
			return row === lines.length - 1 ? moveTo(area, row, end) : moveTo(area, row + 1, column);
		case 'pgup':
			return moveTo(area, row - pageRows, column);
		case 'pgdn':
			return moveTo(area, row + pageRows, column);
		case 'left':
			return column === 0 && row > 0
				? moveTo(area, row - 1, Infinity)
				: moveTo(area, row, column - 1);
		case 'right':
			return column === end && row < lines.length - 1
				? moveTo(area, row + 1, 0)
				: moveTo(area, row, column + 1);
		case 'backspace':
			if (column === 0) {
				return row === 0 ? area : joinBelow(area, row - 1);
			}

			break;
		case 'delete':
			if (column === end) {
				return row === lines.length - 1 ? area : joinBelow(area, row);
			}

			break;
		default:
	}

	const line = editLine(current(area), key, roomFor(area));
	return line && withLine(area, line);
}
