import type {SetupPlan, WrittenSetup} from '../../core/setup.ts';
import {literal} from '../../terminal/text/safe.ts';
import {diffLines} from '../lines/diff-lines.ts';
import {blankLine, line, type Line} from '../lines/line.ts';
import {told} from './box.ts';

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
