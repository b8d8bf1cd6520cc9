import {
	array,
	assert,
	boolean,
	constant,
	constantFrom,
	integer,
	nat,
	property,
	record,
	string,
	tuple,
} from 'fast-check';
import {expect, test} from 'vitest';
import type {TranscriptEntry} from '../../../../source/core/run.ts';
import {pathOf, cursorIn} from '../../../../source/tui/lines/detail-cursor.ts';
import {runBlocks, rowsOfBlocks} from '../../../../source/tui/panes/runs/run-blocks.ts';
import {newView} from '../../../../source/tui/state/view.ts';
import {makeRun} from '../../../helpers/make.ts';
import {propertyRuns} from '../../../helpers/property-runs.ts';

const kinds = ['prompt', 'text', 'tool-call', 'tool-result', 'note', 'error'] as const;

const entry = record({
	at: integer({min: 1000, max: 1010}),
	kind: constantFrom(...kinds),
	text: string({maxLength: 200, unit: constantFrom('a', ' ', '\n', '*', '日')}),
	data: record({call: constantFrom('a', 'b'), tool: constant('t')}),
});

const rows = (
	transcript: readonly TranscriptEntry[],
	folds: ReadonlyMap<string, boolean>,
	answer?: string,
) =>
	rowsOfBlocks(
		runBlocks(makeRun({state: 'done', ...(answer !== undefined && {answer})}), {
			stored: undefined,
			transcript,
			now: 2000,
		}),
		folds,
		40,
	);

test('folding and unfolding never loses the place: the same row, or the head of its block', () => {
	assert(
		property(
			array(entry, {minLength: 1, maxLength: 12}),
			array(tuple(nat(), boolean()), {maxLength: 8}),
			nat(),
			(transcript, changes, at) => {
				const folds = new Map<string, boolean>();
				let shown = rows(transcript, folds);
				let cursor = at % shown.length;
				for (const [nth, isOpen] of changes) {
					const before = pathOf(shown[cursor]) ?? [];
					const [key = ''] = pathOf(shown[nth % shown.length]) ?? [];
					folds.set(key, isOpen);
					shown = rows(transcript, folds);
					({cursor} = cursorIn(shown, {
						...newView('runs', {columns: 80, rows: 24}, 'dark'),
						detailCursor: cursor,
						detailPath: before,
					}));

					expect([before, before.slice(0, 1)]).toContainEqual(pathOf(shown[cursor]));
				}
			},
		),
		{numRuns: propertyRuns(100)},
	);
});

test('every row has a name of its own', () => {
	assert(
		property(array(entry, {maxLength: 12}), transcript => {
			const keys = new Set(rows(transcript, new Map()).map(row => pathOf(row)?.[0] ?? ''));
			const all = rows(transcript, new Map([...keys].map(key => [key, true] as const)), 'Fine');
			const names = all.map(row => JSON.stringify(pathOf(row)));

			expect(new Set(names).size).toBe(names.length);
		}),
		{numRuns: propertyRuns(50)},
	);
});
