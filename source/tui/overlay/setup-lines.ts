import type {SetupPlan, WrittenSetup} from '../../core/setup.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {formLines} from '../forms/form-lines.ts';
import {diffLines} from '../lines/diff-lines.ts';
import {blankLine, clean, line, wrapText, type Line} from '../lines/line.ts';
import {setupForm, stepTitles, type SetupCard} from '../setup/setup-card.ts';
import type {Tone} from '../theme/theme.ts';
import type {BoxContent} from './box-content.ts';

const widest = 96;

/** Setting up the receiver: a step of it, what would be written, or what was. */
export function setupLines(
	card: SetupCard,
	room: {readonly width: number; readonly height: number},
): BoxContent {
	const width = Math.min(room.width, widest);
	const {stage, index, forms} = card;
	const form = setupForm(card);
	if (form) {
		const head = [
			blankLine,
			line(safe`  ${index + 1} of ${forms.length}: ${clean(stepTitles[index] ?? '')}`, 'strong'),
			blankLine,
		];
		const {rows, cursor} = formLines(form, width);
		const keys =
			index < forms.length - 1
				? literal('  a goes on, Esc leaves everything as it is')
				: literal(
						'  a shows what would be written, s does without a route, Esc leaves all as it is',
					);
		return {
			title,
			rows: [...head, ...rows, blankLine, line(keys, 'quiet')],
			shown: head.length + cursor.last,
			width,
		};
	}

	if (stage.kind === 'diff') {
		const rows = setupPlanLines(stage.plan, width);
		const top = Math.max(0, Math.min(stage.top, rows.length - room.height));
		return {title, rows: rows.slice(top, top + Math.max(1, room.height)), top, width};
	}

	const rows = stage.kind === 'done' ? setupDoneLines(stage.written, width) : [];
	return {title, rows, shown: rows.length - 1, width};
}

const title: readonly Line[] = [[{text: literal('Set up the receiver'), tone: 'title'}]];

const told = (words: string, width: number, tone: Tone = 'plain'): readonly Line[] =>
	wrapText(words, width - 4).map(row => line(safe`  ${row}`, tone));

/** What writing changes, and what waits for a restart then. */
export const setupPlanLines = (
	{file, diff, warnings, movesOthers, restartNeeded}: SetupPlan,
	width: number,
): readonly Line[] => [
	blankLine,
	...told(`This changes ${file}:`, width, 'strong'),
	blankLine,
	...diffLines(diff, width, literal('  ')),
	blankLine,
	...(movesOthers
		? told('! The file is written anew: the spacing of other lines may change.', width, 'warn')
		: []),
	...warnings.flatMap(text => told(`! ${text}`, width, 'warn')),
	...told(restartText(restartNeeded), width),
	...told('w writes it, b goes back, Esc leaves everything as it is', width, 'quiet'),
];

/** What was written. */
export const setupDoneLines = (
	{file, secret, restartNeeded}: WrittenSetup,
	width: number,
): readonly Line[] => [
	blankLine,
	...told(`✓ Written to ${file}`, width, 'good'),
	...told(restartText(restartNeeded), width),
	...(secret === undefined
		? []
		: [
				blankLine,
				...told('Secret, which will not be shown again; c copies it', width, 'warn'),
				...told(secret, width, 'strong'),
			]),
	blankLine,
	line(literal('  Enter closes this'), 'quiet'),
];

const restartText = (keys: readonly string[]): string =>
	keys.length === 0
		? 'No restart is needed.'
		: `The gateway has to be restarted for ${keys.join(', ')}.`;
