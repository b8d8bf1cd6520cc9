import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {stripVTControlCharacters} from 'node:util';
import xterm from '@xterm/headless';
import {
	array,
	assert,
	asyncProperty,
	boolean,
	constant,
	constantFrom,
	integer,
	oneof,
	option,
	property,
	record,
} from 'fast-check';
import {rolldown, type Plugin} from 'rolldown';
import {afterAll, beforeAll, expect, test} from 'vitest';
// @ts-expect-error -- plain JavaScript, as the whole of the build
import * as untyped from '../../scripts/build/changed-cells.mjs';
// @ts-expect-error -- the same
import {createKept as untypedKept} from '../../scripts/build/kept-cells.mjs';
// @ts-expect-error -- the same
import {patchInk as untypedPatch} from '../../scripts/build/patch-ink.mjs';
// @ts-expect-error -- the same
import {remember as untypedRemember} from '../../scripts/build/remember.mjs';
import {oneCellEach as ownSigns} from '../../source/terminal/text/fit.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const remember = untypedRemember as (answer: (text: string) => string) => (text: string) => string;
const patchInk = untypedPatch as () => Plugin;
type Cell = {
	readonly value: string;
	readonly styles: ReadonlyArray<{readonly code: string; readonly endCode: string}>;
};
const createKept = untypedKept as (
	caches: new () => object,
	toText: (cells: readonly Cell[]) => string,
) => {readonly textOf: (cells: readonly Cell[]) => string};
const changedCells = untyped.changedCells as (
	last: string,
	next: string,
	columns: number,
) => string | undefined;
const oneCellEach = untyped.oneCellEach as RegExp;

type Write = {readonly x: number; readonly y: number; readonly text: string};
type Clip = {
	readonly x1?: number;
	readonly x2?: number;
	readonly y1?: number;
	readonly y2?: number;
};
type Step =
	| {readonly kind: 'write'; readonly write: Write; readonly isDimmed: boolean}
	| {readonly kind: 'clip'; readonly clip: Clip; readonly inside: readonly Write[]};
type Output = {
	write(x: number, y: number, text: string, options: {transformers: readonly unknown[]}): void;
	clip(clip: Clip): void;
	unclip(): void;
	get(): {readonly output: string; readonly height: number};
};
type OutputClass = new (size: {readonly width: number; readonly height: number}) => Output;

type Clean = (text: string) => string;

let folder: string;
let original: OutputClass;
let patched: OutputClass;
let cleans: {readonly original: Clean; readonly patched: Clean};

/** A module with all that it imports, as it is without plugins: what the test itself imports is patched (`tests/patched-ink.mjs`). */
const load = async <Loaded>(path: string, name: string, plugins: Plugin[]): Promise<Loaded> => {
	const bundle = await rolldown({
		input: join('node_modules', path),
		platform: 'node',
		plugins,
	});
	const file = join(folder, `${path.replaceAll('/', '-')}-${name}.mjs`);
	await bundle.write({file, format: 'esm'});
	await bundle.close();
	const {default: loaded} = (await import(pathToFileURL(file).href)) as {default: Loaded};
	return loaded;
};

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'svc-ink-'));
	const both = async <Loaded>(path: string) =>
		Promise.all([load<Loaded>(path, 'original', []), load<Loaded>(path, 'patched', [patchInk()])]);
	[original, patched] = await both<OutputClass>('ink/build/output.js');
	const [clean, cleanPatched] = await both<Clean>('ink/build/sanitize-ansi.js');
	cleans = {original: clean, patched: cleanPatched};
});

afterAll(async () => {
	await rm(folder, {recursive: true, force: true});
});

const dim = (line: string) => `\u001b[2m${line}\u001b[22m`;

const draw = (Drawn: OutputClass, steps: readonly Step[]) => {
	const output = new Drawn({width: 24, height: 6});
	const write = ({x, y, text}: Write, isDimmed = false) => {
		output.write(x, y, text, {transformers: isDimmed ? [dim] : []});
	};
	for (const step of steps) {
		if (step.kind === 'write') {
			write(step.write, step.isDimmed);
		} else {
			output.clip(step.clip);
			for (const inside of step.inside) {
				write(inside);
			}

			output.unclip();
		}
	}

	return output.get();
};

const pieces = [
	'a',
	'bc ',
	' ',
	'\n',
	'é',
	'e\u0301',
	'漢字',
	'👩‍👩‍👧',
	'🇩🇪',
	'\u200B',
	'\u00AD',
	'│',
	'─',
	'\u001b[31m',
	'\u001b[39m',
	'\u001b[1m',
	'\u001b[22m',
	'\u001b[48;2;1;2;3m',
	'\u001b[49m',
	'\u001b[38;5;200m',
	'\u001b[7m',
	'\u001b[27m',
	'\u001b[0m',
];
const dirt = constantFrom(
	...pieces,
	'\u0007',
	'\u0000',
	'\t',
	'\u009b31m',
	'\u001b[2J',
	'\u001b[4:3m',
	'\u001b]8;;https://a.example\u0007',
	'\u001b]52;c;YQ==\u001b\\',
	'\u001bP1$q',
	'\u007f',
	'\u0301',
);
const text = array(constantFrom(...pieces), {maxLength: 12}).map(parts => parts.join(''));
const place = {x: integer({min: -3, max: 25}), y: integer({min: -2, max: 7})};
const writes = record({...place, text});
const edge = (max: number) => option(integer({min: -2, max}), {nil: undefined});
const steps = array(
	oneof(
		record({kind: constant('write' as const), write: writes, isDimmed: boolean()}),
		record({
			kind: constant('clip' as const),
			clip: record({x1: edge(25), x2: edge(25), y1: edge(7), y2: edge(7)}).map(clip =>
				Object.fromEntries(Object.entries(clip).filter(([, at]) => at !== undefined)),
			),
			inside: array(writes, {maxLength: 3}),
		}),
	),
	{maxLength: 10},
);

test('frame by frame the patched Ink draws what Ink draws, cell by cell with its colours', () => {
	assert(
		property(array(steps, {minLength: 1, maxLength: 6}), frames => {
			// Each twice: the second time everything is known already.
			for (const frame of frames.flatMap(one => [one, one])) {
				expect(draw(patched, frame)).toEqual(draw(original, frame));
			}
		}),
		{numRuns: propertyRuns(150)},
	);
});

test('what is kept is bounded: texts that never come again do not stay', () => {
	const rows = (from: number) =>
		Array.from({length: 6}, (_, y) => ({
			kind: 'write' as const,
			write: {x: 0, y, text: `\u001b[32m${`row ${from + y} `.padEnd(24, '.')}\u001b[39m`},
			isDimmed: false,
		}));
	for (let frame = 0; frame < 3000; frame++) {
		draw(patched, rows(frame * 6));
	}

	expect(draw(patched, rows(0))).toEqual(draw(original, rows(0)));
	const {caches} = new patched({width: 1, height: 1}) as unknown as {
		readonly caches: {readonly styledChars: Map<string, unknown>; readonly cells: number};
	};
	expect(caches.styledChars.size).toBeGreaterThan(0);
	expect(caches.cells).toBeLessThan(40_000);
});

test('a build with another Ink, or one that was edited, fails and says where to look', async () => {
	const copy = join(folder, 'ink');
	await cp('node_modules/ink/build', join(copy, 'build'), {recursive: true});
	const manifest = JSON.parse(await readFile('node_modules/ink/package.json', 'utf8'));
	const build = async () => {
		const bundle = await rolldown({
			input: join(copy, 'build', 'output.js'),
			platform: 'node',
			external: /^[^./]/,
			plugins: [patchInk()],
			logLevel: 'silent',
		});
		await bundle.generate();
	};

	await writeFile(join(copy, 'package.json'), JSON.stringify({...manifest, version: '8.0.1'}));
	await expect(build()).rejects.toThrow(/Cannot patch ink 8\.0\.1/);

	await writeFile(join(copy, 'package.json'), JSON.stringify(manifest));
	const code = await readFile(join(copy, 'build', 'output.js'), 'utf8');
	await writeFile(
		join(copy, 'build', 'output.js'),
		code.replace('new OutputCaches()', 'new Caches()'),
	);
	await expect(build()).rejects.toThrow(/is not there once in ink\/build\/output\.js/);
});

test('a function that remembers answers as before, also what it was asked long ago, and keeps no long texts', () => {
	const asked: string[] = [];
	const answer = remember(one => {
		asked.push(one);
		return `<${one}>`;
	});
	const long = 'x'.repeat(3000);
	expect([answer('a'), answer('a'), answer(''), answer(''), answer(long), answer(long)]).toEqual([
		'<a>',
		'<a>',
		'<>',
		'<>',
		`<${long}>`,
		`<${long}>`,
	]);
	expect(asked).toEqual(['a', '', long, long]);

	for (let other = 0; other < 5000; other++) {
		expect(answer(`${other}`)).toBe(`<${other}>`);
		answer('a');
	}

	expect(asked.filter(one => one === 'a')).toHaveLength(1);
	answer('0');
	expect(asked.filter(one => one === '0')).toHaveLength(2);
});

test('texts are made clean as Ink makes them clean', () => {
	assert(
		property(
			array(
				array(dirt).map(parts => parts.join('')),
				{minLength: 1, maxLength: 4},
			),
			texts => {
				for (const one of [...texts, ...texts]) {
					expect(cleans.patched(one)).toBe(cleans.original(one));
				}
			},
		),
		{numRuns: propertyRuns(150)},
	);
});

const lineOf = array(
	constantFrom(
		'a',
		'b',
		'12',
		' ',
		'   ',
		'─',
		'✓',
		'…',
		'●',
		'\u001b[31m',
		'\u001b[39m',
		'\u001b[1m',
		'\u001b[2m',
		'\u001b[22m',
		'\u001b[7m',
		'\u001b[27m',
		'\u001b[48;2;1;2;3m',
		'\u001b[49m',
		'\u001b[38;5;200m',
		'\u001b[0m',
		'\u001b[4m',
	),
	{maxLength: 30},
).map(parts => `${parts.join('')}\u001b[0m`);

const columns = 40;

/** The cells of a terminal's first row with their looks, after `bytes`. */
async function rowAfter(...bytes: readonly string[]): Promise<string> {
	const terminal = new xterm.Terminal({cols: columns, rows: 3, allowProposedApi: true});
	for (const part of bytes) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other, as a terminal gets them
		await new Promise<void>(resolve => {
			terminal.write(part, resolve);
		});
	}

	const line = terminal.buffer.active.getLine(0);
	const cells = Array.from({length: columns}, (_, x) => {
		const cell = line?.getCell(x);
		const looks = [
			cell?.getFgColor(),
			cell?.getBgColor(),
			cell?.getFgColorMode(),
			cell?.getBgColorMode(),
			cell?.isBold(),
			cell?.isDim(),
			cell?.isInverse(),
			cell?.isUnderline(),
		];
		return `${cell?.getChars() || ' '} ${looks.join(',')}`;
	});
	terminal.dispose();
	return cells.join('\n');
}

const widthIn = (line: string): number => stripVTControlCharacters(line).length;

const narrow = lineOf.filter(line => widthIn(line) <= columns);

test('the cells that changed, written over the last row, make the row that a whole writing makes', async () => {
	await assert(
		asyncProperty(narrow, narrow, async (last, next) => {
			const bytes = changedCells(last, next, columns) ?? 'not understood';
			expect(await rowAfter(last, bytes)).toBe(await rowAfter(next));
			expect(changedCells(next, next, columns)).toBe('');
		}),
		{numRuns: propertyRuns(200)},
	);
});

test('a line wider than the row is left to Ink', () => {
	expect(changedCells('a', '─'.repeat(columns), columns)).toBeDefined();
	expect(changedCells('a', '─'.repeat(columns + 1), columns)).toBeUndefined();
});

test.for<readonly [string, string]>([
	['a character that may take two cells', '漢'],
	['a mark that joins with the one before', 'e\u0301'],
	['a link', '\u001b]8;;https://a.example\u0007a\u001b]8;;\u0007'],
	['a cursor that moves', '\u001b[3Ca'],
	['a style that nobody here knows', '\u001b[5ma\u001b[0m'],
	['a style that does not end', '\u001b[31ma'],
])('%s is left to Ink', ([, line]) => {
	expect(changedCells('a', line, columns)).toBeUndefined();
	expect(changedCells(line, 'a', columns)).toBeUndefined();
});

test('a figure that moves in a wide row costs a few bytes', () => {
	const row = (rate: string) => `\u001b[1msvc\u001b[22m ${rate}/s ${'─'.repeat(20)} 12:00:01`;
	expect(changedCells(row('12.4'), row('12.7'), columns)).toBe('\u001b[8G7');
});

test.for(['svc ▁▂▃ 3/s', '│ Open · 2s │'])('%s is a row whose cells are known', row => {
	const at = row.indexOf('s');
	expect(changedCells(row, row.replace('s', 't'), columns)).toBe(`\u001b[${at + 1}Gt`);
});

test('what string-width says of our signs is what the shorter way says', async () => {
	const stringWidth = await load<(text: string) => number>('string-width/index.js', 'original', []);
	expect(oneCellEach.source).toBe(ownSigns.source);
	for (const sign of '─│┌┐└┘·…●○◐✓✗–×▁▂▃▄▅▆▇█░ a~') {
		expect(stringWidth(sign)).toBe(1);
		expect(oneCellEach.test(sign)).toBe(true);
	}
});

test('however many looks there were, codes that lead from one to another are kept of some thousand', () => {
	const rows = Array.from({length: 3000}, (_, look) => [
		{value: 'x', styles: [{code: `<${look}>`, endCode: '<>'}]},
	]);
	class Caches {
		readonly styledChars = new Map();
	}

	let asked = 0;
	const {textOf} = createKept(Caches, cells => {
		asked += 1;
		return cells.map(({value, styles}) => styles.map(({code}) => code).join('') + value).join('');
	});
	const drawn = () => rows.map(row => textOf(row)).join('').length;
	const length = drawn();
	expect(asked).toBe(6000);
	rows.reverse();
	expect(drawn()).toBe(length);
	expect(asked).toBeGreaterThanOrEqual(12_000 - 4096);
});
