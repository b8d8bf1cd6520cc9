import {expect, test} from 'vitest';
import {lockReason, type LockFacts} from '../../../source/tui/approvals/seen-rows.ts';

const facts: LockFacts = {
	sheet: {wasPaged: false},
	part: 'call',
	window: {first: 0, last: 9},
	isWhole: true,
	verdict: {kind: 'seen'},
	waitMs: 0,
	size: {columns: 80},
};

const unseen = (...rows: ReadonlyArray<readonly [number, number]>): LockFacts => ({
	...facts,
	verdict: {kind: 'unseen', part: 'call', rows: rows.map(([first, last]) => ({first, last}))},
});

test.for<[string, LockFacts, string | undefined]>([
	['nothing, once a key may allow', facts, undefined],
	['never no time while a key is too early', {...facts, waitMs: 3}, 'keys in 0.1 s'],
	['tenths of a second', {...facts, waitMs: 400}, 'keys in 0.4 s'],
	['one row', unseen([13, 13]), 'row 14 not seen yet: PgDn'],
	['several rows', unseen([13, 15]), 'rows 14–16 not seen yet: PgDn'],
	['one row and others', unseen([13, 13], [20, 22]), 'rows 14 +1 not seen yet: PgDn'],
])('what keeps a key from allowing: %s', ([, given, said]) => {
	expect(lockReason(given)).toBe(said);
});
