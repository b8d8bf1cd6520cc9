import type {Cell, Screen} from './cells.ts';

const cellWidth = 8.4;
const cellHeight = 18;
const fontSize = 14;
const baseline = 13.5;
const margin = 16;

/** What a terminal's own colours are. */
type Paper = {readonly ground: string; readonly ink: string; readonly edge: string};

const dark: Paper = {ground: '#14171c', ink: '#c9d1d9', edge: '#2b313a'};
const light: Paper = {ground: '#ffffff', ink: '#24292f', edge: '#d0d7de'};

const dimOpacity = 0.65;

const palette = [
	'#14171c',
	'#e5534b',
	'#57ab5a',
	'#d4a72c',
	'#539bf5',
	'#b083f0',
	'#4fb8c4',
	'#c9d1d9',
	'#8b949e',
	'#ff7b72',
	'#6bc46d',
	'#e3b341',
	'#79c0ff',
	'#d2a8ff',
	'#76d5e0',
	'#f0f6fc',
] as const;

const fonts = [
	'ui-monospace',
	"'SF Mono'",
	"'Cascadia Mono'",
	'Menlo',
	'Consolas',
	"'DejaVu Sans Mono'",
	'monospace',
].join(',');

const hex = (value: number) => value.toString(16).padStart(2, '0');

/** The 256 colours of a terminal; the first sixteen are ours. */
function paletteColor(index: number): string {
	const own = palette[index];
	if (own !== undefined) {
		return own;
	}

	if (index >= 232) {
		return `#${hex(8 + (index - 232) * 10).repeat(3)}`;
	}

	const levels = [
		Math.floor((index - 16) / 36),
		Math.floor((index - 16) / 6) % 6,
		(index - 16) % 6,
	];
	return `#${levels.map(level => hex(level === 0 ? 0 : level * 40 + 55)).join('')}`;
}

const cssColor = (color: Cell['color'], otherwise: string): string => {
	if (color === undefined) {
		return otherwise;
	}

	return typeof color === 'number' ? paletteColor(color) : color;
};

type Look = {readonly fill: string; readonly back: string; readonly attributes: string};

function lookOf(cell: Cell, {ground, ink}: Paper): Look {
	const color = cssColor(cell.color, ink);
	const background = cssColor(cell.background, ground);
	const [fill, back] = cell.inverse ? [background, color] : [color, background];
	const attributes = [
		fill === ink ? '' : ` fill="${fill}"`,
		cell.bold ? ' font-weight="bold"' : '',
		cell.dim ? ` opacity="${dimOpacity}"` : '',
		cell.underline ? ' text-decoration="underline"' : '',
	].join('');
	return {fill, back, attributes};
}

/** Cells of one look that follow each other, as one piece of text. */
type Piece = {text: string; column: number; columns: number; readonly look: Look};

/** Whether every font gives these characters the same width: those of a keyboard, or lines and blocks. */
const isEven = (text: string) => /^(?:[ -~]+|[ \u2500-\u259F]+)$/.test(text);

/** A row cut where the look changes, and around every character that a font may draw wider than a cell. */
function piecesOf(row: readonly Cell[], paper: Paper): readonly Piece[] {
	const pieces: Piece[] = [];
	let column = 0;
	for (const cell of row) {
		const look = lookOf(cell, paper);
		const last = pieces.at(-1);
		const goesOn =
			last?.look.attributes === look.attributes &&
			last.look.back === look.back &&
			isEven(last.text + cell.text);
		if (last && goesOn) {
			last.text += cell.text;
			last.columns += cell.columns;
		} else {
			pieces.push({text: cell.text, column, columns: cell.columns, look});
		}

		column += cell.columns;
	}

	return pieces;
}

const round = (value: number) => String(Math.round(value * 10) / 10);

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;'};

const escape = (text: string) => text.replace(/[&<>]/g, character => entities[character] ?? '');

/** The text of a piece without the blanks around it, stretched to its cells whatever font draws it. */
function drawText({text, column, look}: Piece, y: number): string {
	const start = text.length - text.trimStart().length;
	const visible = text.trim();
	if (visible === '') {
		return '';
	}

	const width = isEven(visible)
		? ` textLength="${round(visible.length * cellWidth)}" lengthAdjust="spacingAndGlyphs"`
		: '';
	return `<text x="${round((column + start) * cellWidth)}" y="${round(y + baseline)}"${width}${look.attributes}>${escape(visible)}</text>`;
}

const drawBackground = ({column, columns, look}: Piece, y: number, {ground}: Paper): string =>
	look.back === ground
		? ''
		: `<rect x="${round(column * cellWidth)}" y="${y}" width="${round(columns * cellWidth)}" height="${cellHeight}" fill="${look.back}"/>`;

/** A row of a screen, `index` rows below its top. */
export function drawRow(row: readonly Cell[], index: number, paper: Paper = dark): string {
	const pieces = piecesOf(row, paper);
	const y = index * cellHeight;
	return [
		...pieces.map(piece => drawBackground(piece, y, paper)),
		...pieces.map(piece => drawText(piece, y)),
	]
		.filter(part => part !== '')
		.join('\n');
}

/** A picture of a terminal's screen. The text in it is text: it can be searched, and read aloud; `title` says what it shows. `isLight`: on a light ground. */
export function svgOf(screen: Screen, title: string, {isLight = false} = {}): string {
	const paper = isLight ? light : dark;
	return windowOf(
		screen.map((row, index) => drawRow(row, index, paper)),
		{screen, title, paper},
	);
}

/** The window of a screen with `parts` in it. */
export function windowOf(
	parts: readonly string[],
	{
		screen,
		title,
		paper = dark,
	}: {readonly screen: Screen; readonly title: string; readonly paper?: Paper},
): string {
	const {ground, ink, edge} = paper;
	const columns = Math.max(...screen.map(row => row.reduce((sum, cell) => sum + cell.columns, 0)));
	const width = round(columns * cellWidth + margin * 2);
	const height = round(screen.length * cellHeight + margin * 2);
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
		`<title>${escape(title)}</title>`,
		`<rect x="0.5" y="0.5" width="${round(Number(width) - 1)}" height="${round(Number(height) - 1)}" rx="10" fill="${ground}" stroke="${edge}"/>`,
		`<g transform="translate(${margin} ${margin})" font-family="${fonts}" font-size="${fontSize}" fill="${ink}" xml:space="preserve">`,
		...parts.filter(part => part !== ''),
		'</g>',
		'</svg>',
	].join('\n')}\n`;
}
