import {expect, test} from 'vitest';
import {
	judgeSeen,
	seeRows,
	unseenRows,
	type AskedText,
	type RowRange,
	type SeenRows,
} from '../../../source/tui/approvals/seen-rows.ts';

const text = (part: Partial<AskedText> = {}): AskedText => {
	const rows = part.rows ?? ['a', 'b', 'c', 'd', 'e', 'f'];
	return {of: '1 80x24', rows, needed: rows.length, shown: [], isFilledIn: false, ...part};
};

const rows = (first: number, last: number): RowRange => ({first, last});

/** Looks at one screen after the other. */
const look = (...screens: ReadonlyArray<readonly [number, Partial<AskedText>]>) => {
	let seen: SeenRows | undefined;
	for (const [at, part] of screens) {
		seen = seeRows(seen, text(part), at);
	}

	return seen;
};

const top = {shown: [rows(0, 1)]};
const middle = {shown: [rows(2, 3)]};
const end = {shown: [rows(4, 5)]};
const wider = {of: '1 120x36'};
const changed = {rows: ['a', 'b', 'c', 'd', 'e', 'F']};

test.for([
	['nothing was drawn', [], [rows(0, 5)]],
	['the first rows', [[0, top]], [rows(2, 5)]],
	[
		'the first and the last rows',
		[
			[0, top],
			[10, end],
		],
		[rows(2, 3)],
	],
	[
		'every row, in any order',
		[
			[0, end],
			[10, top],
			[20, middle],
		],
		[],
	],
	[
		'every row, at another size',
		[
			[0, {...top, ...wider}],
			[1, {...middle, ...wider}],
			[2, {...end, ...wider}],
		],
		[rows(0, 5)],
	],
	[
		'every row, but one changed since',
		[
			[0, {...top, ...changed}],
			[1, {...middle, ...changed}],
			[2, {...end, ...changed}],
		],
		[rows(0, 5)],
	],
	['every row, but there were fewer', [[0, {rows: ['a', 'b'], shown: [rows(0, 1)]}]], [rows(0, 5)]],
	['rows of two parts of the screen', [[0, {shown: [rows(0, 0), rows(3, 5)]}]], [rows(1, 2)]],
] as const)('unseen: %s', ([, screens, unseen]) => {
	expect(unseenRows(look(...screens), text())).toEqual(unseen);
});

test('what a person fills in changes its own row alone; every other change begins anew', () => {
	const all = {shown: [rows(0, 5)]};
	const seen = look([0, {...all, isFilledIn: true}]);

	expect(unseenRows(seen, text({...changed, isFilledIn: true}))).toEqual([rows(5, 5)]);
	expect(
		unseenRows(seen, text({rows: ['a', 'x', 'y', 'b', 'c', 'd', 'e', 'f'], isFilledIn: true})),
	).toEqual([rows(1, 2)]);
	expect(unseenRows(seen, text({rows: ['a', 'a', 'b'], isFilledIn: true}))).toEqual([rows(1, 1)]);
	expect(unseenRows(seen, text(changed))).toEqual([rows(0, 5)]);
});

test.for([
	[
		'not all was seen',
		[
			[0, top],
			[0, end],
		],
		9999,
		'unseen',
	],
	[
		'half a second after the last row',
		[
			[0, top],
			[100, middle],
			[1000, end],
		],
		1500,
		'seen',
	],
	[
		'a moment before that',
		[
			[0, top],
			[100, middle],
			[1000, end],
		],
		1499,
		'early',
	],
	[
		'whatever is looked at afterwards',
		[
			[0, top],
			[100, middle],
			[1000, end],
			[1400, top],
		],
		1500,
		'seen',
	],
	[
		'at another size it begins anew',
		[
			[0, {shown: [rows(0, 5)], ...wider}],
			[1000, {shown: [rows(0, 5)]}],
		],
		1499,
		'early',
	],
	[
		'a changed request begins anew',
		[
			[0, {shown: [rows(0, 5)], ...changed}],
			[1000, {shown: [rows(0, 5)]}],
		],
		1400,
		'early',
	],
] as const)('may it be allowed: %s', ([, screens, now, kind]) => {
	const seen = {call: look(...screens)};

	expect(judgeSeen(seen as never, {call: text()}, {now, restMs: 500}).kind).toBe(kind);
});

test('every part has to be seen, the latest decides, and rows that are not needed do not count', () => {
	const call = look([0, {shown: [rows(0, 5)]}]);
	const rule = look([700, {shown: [rows(0, 5)]}]);
	const asked = {call: text(), rule: text()};
	const judged = (seen: Record<string, SeenRows | undefined>, parts = asked) =>
		judgeSeen(seen, parts, {now: 1000, restMs: 500});

	expect(judged({call})).toEqual({kind: 'unseen', part: 'rule', rows: [rows(0, 5)]});
	expect(judged({call, rule})).toEqual({kind: 'early', waitMs: 200});
	expect(judged({call, rule: look([400, top])}, {...asked, rule: text({needed: 2})})).toEqual({
		kind: 'seen',
	});
});

test('looking again at what was seen makes nothing new', () => {
	const seen = look([0, {shown: [rows(0, 5)]}]);

	expect(seeRows(seen, text(middle), 900)).toBe(seen);
});
