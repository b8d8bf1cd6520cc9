import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Cell, Screen} from '../../../scripts/screenshot/cells.ts';
import {themes, type Look, type ThemeName, type Tone} from '../../../source/tui/theme/theme.ts';

export const goldenFolder = join(dirname(fileURLToPath(import.meta.url)), 'frames');

/** What golden files are made of: the text once, and for each theme which part every stretch of a row plays. */
export function goldenText(
	title: string,
	frames: ReadonlyArray<{readonly theme: ThemeName; readonly screen: Screen}>,
): string {
	const [first] = frames;
	const maps = frames.map(({theme, screen}) => ({theme, rows: mapOf(screen, theme).join('\n')}));
	return [
		`# ${title}`,
		'',
		'## text',
		...(first?.screen ?? []).map(textOfRow),
		...maps.flatMap(({theme, rows}, index) => {
			const same = maps.slice(0, index).find(other => other.rows === rows);
			return same ? [`## ${theme} as ${same.theme}`] : [`## ${theme}`, rows];
		}),
		'',
	].join('\n');
}

/** A row as a person reads it. */
export const textOfRow = (row: readonly Cell[]): string =>
	row
		.map(({text}) => text)
		.join('')
		.trimEnd();

const mapOf = (screen: Screen, theme: ThemeName): readonly string[] =>
	screen.flatMap((row, index) => {
		const runs: Array<{readonly name: string; columns: number}> = [];
		for (const cell of row) {
			const name = nameOf(cell, theme);
			const last = runs.at(-1);
			if (last?.name === name) {
				last.columns += cell.columns;
			} else {
				runs.push({name, columns: cell.columns});
			}
		}

		if (runs.at(-1)?.name === 'plain') {
			runs.pop();
		}

		return runs.length === 0
			? []
			: [`${index + 1}: ${runs.map(({name, columns}) => `${name} ${columns}`).join(', ')}`];
	});

const colorNumbers: Readonly<Record<string, number>> = {
	black: 0,
	red: 1,
	green: 2,
	yellow: 3,
	cyan: 6,
	whiteBright: 15,
};

const numberOf = (color: string | undefined): number | string | undefined =>
	color === undefined
		? undefined
		: (colorNumbers[color] ?? Number(/^ansi256\((\d+)\)$/.exec(color)?.[1] ?? Number.NaN));

/** All that can be seen of a look, as a text. */
const seen = (cell: Omit<Cell, 'text' | 'columns'>): string => {
	const marks = (['bold', 'dim', 'underline', 'inverse'] as const).filter(mark => cell[mark]);
	return [
		...marks,
		...(cell.color === undefined ? [] : [`on ${cell.color}`]),
		...(cell.background === undefined ? [] : [`behind ${cell.background}`]),
	].join(' ');
};

const seenOf = ({color, backgroundColor, bold, dimColor, underline, inverse}: Look): string =>
	seen({
		color: numberOf(color),
		background: numberOf(backgroundColor),
		bold: bold === true,
		dim: dimColor === true,
		underline: underline === true,
		inverse: inverse === true,
	});

/** The first part of the theme that looks so; what no part looks like is told as it is seen. */
function nameOf(cell: Cell, theme: ThemeName): string {
	const look = seen(cell);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a theme has no other keys
	const tones = Object.keys(themes[theme]) as Tone[];
	return tones.find(tone => seenOf(themes[theme][tone]) === look) ?? `(${look})`;
}

const isUpdate = () => process.env['UPDATE_GOLDEN'] === '1';

/**
 * Compares with the file of that name; what differs is told row by row. With UPDATE_GOLDEN=1 the file is written instead, never where CI is set.
 * `undefined`: nothing differs.
 */
export function differenceFrom(name: string, text: string): string | undefined {
	const path = join(goldenFolder, name);
	if (isUpdate()) {
		if (!/^(?:0|false)?$/.test(process.env['CI'] ?? '')) {
			throw new Error('Cannot write golden frames in CI: write them where a person looks at them');
		}

		mkdirSync(goldenFolder, {recursive: true});
		writeFileSync(path, text);
		return undefined;
	}

	const wanted = readGolden(path);
	if (wanted === text) {
		return undefined;
	}

	const [before, after] = [(wanted ?? '').split('\n'), text.split('\n')];
	const rows = Array.from({length: Math.max(before.length, after.length)}, (_, index) =>
		before[index] === after[index]
			? []
			: [
					`line ${index + 1}`,
					`  - ${before[index] ?? '(none)'}`,
					`  + ${after[index] ?? '(none)'}`,
				],
	).flat();
	return [
		wanted === undefined ? `${name} is not there` : `${name} differs`,
		...rows.slice(0, 60),
		'If it is to look so: UPDATE_GOLDEN=1 vitest run tests/tui/golden, and read the difference in git',
	].join('\n');
}

function readGolden(path: string): string | undefined {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
}
