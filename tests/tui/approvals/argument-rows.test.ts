import {
	array,
	assert,
	boolean,
	constant,
	dictionary,
	integer,
	oneof,
	property,
	stringMatching,
} from 'fast-check';
import {expect, test} from 'vitest';
import type {CallPreview} from '../../../source/core/approval.ts';
import type {JsonValue} from '../../../source/core/json.ts';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {argumentRows, maxArgumentRows} from '../../../source/tui/approvals/argument-rows.ts';
import {previewRows} from '../../../source/tui/approvals/preview-rows.ts';

const textOf = (args: JsonValue, last?: JsonValue, width = 60) =>
	argumentRows(args, {last, width}).rows.map(row => row.map(({text}) => text).join(''));

test('without a call before there is nothing to compare with', () => {
	expect(textOf({a: 1, b: 'x'})).toEqual(['    a       1', '    b       "x"']);
});

test('what changed, what is new, what is left out', () => {
	expect(textOf({a: 1, b: 'x', c: [1]}, {a: 1, b: 'y', d: null})).toEqual([
		'    a       1',
		'  ~ b       "x"   was "y"',
		'  + c       [1]   first time this value',
		'  - d       (left out)   was null',
	]);
});

test('what is said beside an argument is never cut inside a word', () => {
	expect(textOf({c: 'x'.repeat(10)}, {d: null}, 30).slice(0, 3)).toEqual([
		'  + c       "xxxxxxxxxx"',
		'└           first time this',
		'┊           value',
	]);
});

test('objects that are too long for a row have a row for each part', () => {
	expect(textOf({a: {first: 'x'.repeat(30), second: 'y'.repeat(20)}})).toEqual([
		'    a       {',
		`│             "first": "${'x'.repeat(30)}",`,
		`│             "second": "${'y'.repeat(20)}"`,
		'│           }',
	]);
});

test('a text that is too long for a row has a row for each of its lines', () => {
	const lines = ['first', '\tsecond, with a \\n that is none', '', 'x'.repeat(50), 'last'];

	expect(textOf({text: lines.join('\n')})).toEqual([
		'    text    "first\\n',
		'┊           \\tsecond, with a \\\\n that is none\\n',
		'┊           \\n',
		`┊           ${'x'.repeat(48)}`,
		'┊           xx\\n',
		'┊           last"',
	]);
});

test('cut into rows, JSON loses and gains nothing', () => {
	assert(
		property(stringMatching(/^[\\n"a\n\t ]{0,200}$/), text => {
			const rows = argumentRows({k: text}, {last: undefined, width: 40}).rows;
			const shown = rows.map(row => row.at(-1)?.text ?? '').join('');

			expect(shown).toBe(JSON.stringify(text));
		}),
	);
});

test('a name that is too long for its column stands above its value, whole', () => {
	const name = 'pull_request_description';

	expect(textOf({[name]: 1})).toEqual([`    ${name}`, '│                     1']);
});

test('many blanks hide nothing behind them', () => {
	const rows = textOf({cmd: `ls${' '.repeat(300)}; rm -rf /`});

	expect(rows.join('').replaceAll(/ {2,}/g, ' ')).toContain('; rm -rf /');
	expect(
		argumentRows({cmd: `ls${' '.repeat(300)}; rm`}, {last: undefined, width: 60}).isWhole,
	).toBe(true);
});

test('what needs more than 200 rows is not whole', () => {
	const {rows, isWhole} = argumentRows({text: 'x'.repeat(20_000)}, {last: undefined, width: 60});

	expect(isWhole).toBe(false);
	expect(rows.length).toBe(maxArgumentRows + 1);
});

test.for([
	['more rows than a name may have', 1500, 40],
	['more characters than are shown of a name', 2001, 110],
] as const)('a name with %s is not whole', ([, length, width]) => {
	const args = {['x'.repeat(length)]: 1};

	expect(argumentRows(args, {last: undefined, width}).isWhole).toBe(false);
});

test('controls, hidden and bidirectional characters are escaped and counted', () => {
	const {rows, flags} = argumentRows(
		{a: 'x\u202E\u0007\n', 'k\u200B': '\u{E0041}'},
		{last: undefined, width: 60},
	);

	expect(flags).toBe(4);
	expect(rows.map(row => row.map(({text}) => text).join(''))[0]).toContain(
		String.raw`"x\u{202e}\u0007\n"   ⚑ 2 control`,
	);
});

test('every character of whole arguments is in the rows, and no row is wider than it may be', () => {
	assert(
		property(
			dictionary(
				stringMatching(/^[a-z]{1,20}$/),
				oneof(stringMatching(/^[!-~]{0,400}$/), integer(), boolean()),
				{maxKeys: 6},
			),
			integer({min: 40, max: 100}),
			(args, width) => {
				const {rows, isWhole} = argumentRows(args, {last: undefined, width});
				const texts = rows.map(row => row.map(({text}) => text).join(''));
				expect(isWhole).toBe(true);
				for (const text of texts) {
					expect(widthOf(text)).toBeLessThanOrEqual(width);
				}

				const joined = texts.join('').replaceAll(/[ │┊]/g, '');
				for (const [key, value] of Object.entries(args)) {
					expect(joined).toContain(key + JSON.stringify(value));
				}
			},
		),
	);
});

test('the second row of a name cannot look like another argument', () => {
	const name = `${'x'.repeat(36)}    repo   "acme"`;

	expect(textOf({[name]: 1, 'a b': 2}, undefined, 40)).toEqual([
		`    "${'x'.repeat(35)}`,
		String.raw`┊   x    repo   \"acme\""`,
		'│                     1',
		'    "a b"             2',
	]);
});

/** Reads the rows as a person has to: by their marks, names and columns alone. */
function readBack(rows: readonly string[]): ReadonlyArray<readonly [string, JsonValue]> {
	const starts = rows.flatMap((row, index) => (/^[│┊└]/.test(row) ? [] : [index]));
	return starts.map((start, index) => argumentOf(rows.slice(start, starts[index + 1])));
}

const quoted = /^"(?:[^"\\]|\\[^])*"/;

function argumentOf([first = '', ...others]: readonly string[]): readonly [string, JsonValue] {
	const rest = [...others];
	let head = first.slice(4);
	const goOn = () => {
		head += rest.shift()?.slice(4) ?? '';
	};

	while (head.startsWith('"') && !quoted.test(head)) {
		goOn();
	}

	while (/^[\w.-]+$/.test(head) && rest[0]?.startsWith('┊')) {
		goOn();
	}

	const [name = ''] = quoted.exec(head) ?? /^[\w.-]+/.exec(head) ?? [];
	const beside = head.slice(name.length);
	const row = beside.trim() === '' ? (rest.shift() ?? '').slice(1) : beside;
	const value = row.trimStart();
	const column = beside.trim() === '' ? 1 + row.length - value.length : first.length - value.length;
	const json = rest.reduce(
		(text, more) => `${text}${more.startsWith('│') ? '\n' : ''}${more.slice(column)}`,
		value,
	);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse makes is JSON
	return [name.startsWith('"') ? String(JSON.parse(name)) : name, JSON.parse(json) as JsonValue];
}

test('whatever names and values are, each row is traced back to its argument and its part', () => {
	const hostile = oneof(
		stringMatching(/^[a-z_]{1,70}$/),
		stringMatching(/^[a "\\\n:│┊└{}[\],~+-]{0,90}$/),
		constant('x                                    │   "repo"   "acme"'),
	);
	const leaf = oneof(hostile, integer(), boolean());
	const nested = oneof(leaf, array(leaf, {maxLength: 4}), dictionary(hostile, leaf, {maxKeys: 3}));
	assert(
		property(
			dictionary(hostile, nested, {maxKeys: 5}),
			integer({min: 40, max: 110}),
			(args, width) => {
				const {rows, isWhole} = argumentRows(args, {last: undefined, width});

				expect(isWhole).toBe(true);
				expect(readBack(rows.map(row => row.map(({text}) => text).join('')))).toEqual(
					Object.entries(args),
				);
			},
		),
	);
});

test.for([
	['marks that become two', 'q\u0344\u0344', 20_500],
	['hidden characters', `${'q\u0308\u0301\u0308\u0301'.repeat(15)}\u202e`, 1000],
] as const)('a value that grows when it is cleaned is not cut unseen: %s', ([, piece, count]) => {
	for (const width of [68, 80, 120, 200]) {
		const {rows, isWhole} = argumentRows(
			{command: `${piece.repeat(count)}; the end`},
			{last: undefined, width},
		);
		const text = rows.map(row => row.at(-1)?.text ?? '').join('');
		expect(!isWhole || text.includes('the end')).toBe(true);
	}
});

test.for(['q\u0344\u0344'.repeat(650), '\u202e'.repeat(300)])('nor is a name: %#', start => {
	const {rows, isWhole} = argumentRows({[`${start} the end`]: true}, {last: undefined, width: 80});
	const text = rows.map(row => row.at(-1)?.text ?? '').join('');
	expect(!isWhole || text.includes('the end')).toBe(true);
});

test('a command and a change are shown in their lines, with all that is not seen in them', () => {
	const textsOf = (preview: CallPreview) =>
		previewRows(preview, {}, {width: 40, fromEvent: []}).rows.map(spans =>
			spans.map(({text}) => text).join(''),
		);

	expect(
		textsOf({
			title: 'command',
			facts: [],
			lines: ['one  ', '', '\ttwo \u202e', '-x'],
		}),
	).toEqual(['│   one··', '│   ', '│   ␉ two \\u{202e}', '│   -x']);
	expect(
		textsOf({
			title: 'change',
			facts: [],
			lines: ['@@ -1,2 +1,2 @@', ' ', '-one\r', `+${'x'.repeat(40)}`],
		}),
	).toEqual(['│   @@ -1,2 +1,2 @@', '│   ', '│ - one␍', `│ + ${'x'.repeat(36)}`, '┊   xxxx']);
	expect(
		previewRows(
			{title: 'change', facts: [], lines: Array.from({length: 300}, () => '+x')},
			{},
			{width: 40, fromEvent: []},
		).isWhole,
	).toBe(false);
	expect(textsOf({title: 'change', facts: []}).join('\n')).toContain('too large');
});
