import {assert, integer, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {setupPlanLines} from '../../../source/tui/dialogs/setup.ts';
import {planLines} from '../../../source/tui/editor/step-lines.ts';
import {diffLines} from '../../../source/tui/lines/diff-lines.ts';

const textsOf = (lines: ReturnType<typeof diffLines>) =>
	lines.map(row => row.map(({text}) => text).join(''));

const long = `+ prompt: ${'x'.repeat(3000)} and then the end`;

test('a changed line that is longer than a row, or than any, is shown to its end before it is written', () => {
	const plan = {
		file: 'config.yaml',
		fingerprint: 'f',
		diff: [long],
		warnings: [],
		problems: [],
		movesOthers: false,
		restartNeeded: [],
	};
	for (const lines of [planLines(plan, 80), setupPlanLines(plan as never, 80)]) {
		expect(
			textsOf(lines)
				.map(row => row.replace(/^┊? */, ''))
				.join(''),
		).toContain(`${'x'.repeat(3000)} and then the end`);
	}
});

test('what a line goes on with cannot look like another line of the diff', () => {
	const [first, ...others] = textsOf(diffLines([long], 40, literal('  ')));
	expect(first).toMatch(/^ {2}\+ prompt: x+$/);
	expect(others.filter(row => !row.startsWith('┊   '))).toEqual([]);
});

test('no row of a diff is wider than it may be', () => {
	assert(
		property(string({unit: 'grapheme'}), integer({min: 30, max: 100}), (text, width) => {
			for (const row of textsOf(diffLines([`+${text}`], width, literal('  ')))) {
				expect(widthOf(row)).toBeLessThanOrEqual(width);
			}
		}),
	);
});
