import type {Run} from '../../core/run.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean, type Line} from '../panes/line.ts';
import {clockTime, duration} from '../panes/time.ts';
import {fit} from '../text/fit.ts';
import {own, ui} from '../text/safe.ts';
import {needsDecision, runWords} from './run-word.ts';

export type RunColumns = {
	readonly id: number;
	readonly route: number;
	readonly event: number;
	readonly target: number;
};

const stateCells = 13;
const fixed = 3 + 8 + stateCells + 5 + 7 + 7;

/** How `width` cells are shared. */
export function runColumns(width: number): RunColumns {
	const id = 6;
	const rest = Math.max(15, width - fixed - id);
	const target = Math.min(14, Math.floor(rest * 0.3));
	const route = Math.min(24, Math.floor((rest - target) * 0.5));
	return {id, route, event: rest - target - route, target};
}

/** The names of the columns. */
export const runHeader = ({id, route, event, target}: RunColumns): Safe =>
	ui`   ${fit(own('#'), id)} ${fit(own('time'), 8)} ${fit(own('route'), route)} ${fit(own('event'), event)} ${fit(own('state'), stateCells)} ${fit(own('target'), target)} ${fit(own('tools'), 5)} ${fit(own('took'), 7, {align: 'end'})}`;

/** One run as one row. */
export function runRow(
	run: Run,
	{columns, now}: {readonly columns: RunColumns; readonly now: number},
	isSelected: boolean,
): Line {
	const tone = isSelected ? 'selected' : 'plain';
	const word = runWords[run.state];
	const took =
		run.startedAt === undefined ? own('-') : duration((run.finishedAt ?? now) - run.startedAt);
	return [
		{text: isSelected ? own('>') : own(' '), tone: 'accent'},
		{text: needsDecision(run) ? own('! ') : own('  '), tone: 'warn'},
		{
			text: ui`${fit(clean(String(run.id)), columns.id)} ${clockTime(run.createdAt)} ${fit(clean(run.route), columns.route)} ${fit(clean(run.event), columns.event)} `,
			tone,
		},
		{text: fit(word.text, stateCells), tone: word.tone},
		{
			text: ui` ${fit(clean(run.target), columns.target)} ${fit(clean(String(run.toolCalls)), 5)} ${fit(took, 7, {align: 'end'})}`,
			tone: 'quiet',
		},
	];
}
