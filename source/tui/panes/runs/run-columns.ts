import type {Approval} from '../../../core/approval.ts';
import type {Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {clip, fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clean, type Line} from '../line.ts';
import {clockTime, duration} from '../time.ts';
import {needsDecision, runWordAt} from './run-word.ts';

/** Cells of the columns that give way; 0 leaves one out, with its blank. */
export type RunColumns = {
	readonly route: number;
	readonly event: number;
	readonly target: number;
	readonly tools: number;
};

const cells = {signs: 3, id: 5, time: 8, state: 13, took: 7} as const;
const blanks = 5;
const fixed = cells.signs + cells.id + cells.time + cells.state + cells.took + blanks;

/** How `width` cells are shared: narrow lists do without the target and the tool calls, which the detail has. */
export function runColumns(width: number): RunColumns {
	const tools = width >= 76 ? 5 : 0;
	const target = width >= 96 ? 14 : 0;
	const spent = fixed + (tools > 0 ? tools + 1 : 0) + (target > 0 ? target + 1 : 0);
	const rest = Math.max(12, width - spent);
	const route = Math.min(24, Math.floor(rest * 0.42));
	return {route, event: rest - route, target, tools};
}

/** The names of the columns. */
export const runHeader = (columns: RunColumns): Safe =>
	safe`   ${fit(literal('#'), cells.id)} ${fit(literal('time'), cells.time)} ${fit(literal('route'), columns.route)} ${fit(literal('event'), columns.event)} ${fit(literal('state'), cells.state)}${optional(literal('target'), columns.target)}${optional(literal('tools'), columns.tools)} ${fit(literal('took'), cells.took, {align: 'end'})}`;

const optional = (text: Safe, width: number): Safe =>
	width === 0 ? empty : safe` ${fit(text, width)}`;

/** One run as one row. */
export function runRow(
	run: Run,
	{
		columns,
		now,
		approval,
	}: {
		readonly columns: RunColumns;
		readonly now: number;
		/** What it waits for. */
		readonly approval?: Approval | undefined;
	},
	isSelected: boolean,
): Line {
	const {route, target, tools} = columns;
	// A long state takes from the event: when it begins is nowhere else in the row.
	const lendable = columns.event - minNameCells;
	const word = runWordAt(run, now, {room: cells.state + lendable, approval});
	const borrowed = Math.min(Math.max(0, widthOf(word.text) - cells.state), lendable);
	const event = columns.event - borrowed;
	const took =
		run.startedAt === undefined ? literal('-') : duration((run.finishedAt ?? now) - run.startedAt);
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: needsDecision(run) || approval ? literal('! ') : literal('  '), tone: 'warn'},
		{
			text: safe`${fit(clean(String(run.id)), cells.id)} ${clockTime(run.createdAt)} ${fit(routeText(run), route)} ${fit(eventText(run, event), event)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{text: fit(word.text, cells.state + borrowed), tone: word.tone},
		{
			text: safe`${optional(clean(run.target), target)}${optional(clean(String(run.toolCalls)), tools)} ${fit(took, cells.took, {align: 'end'})}`,
			tone: 'quiet',
		},
	];
}

/** What started it: its route, or the job itself where a schedule or a person fired that. */
const routeText = ({route, job}: Run): Safe =>
	route === '-' && job ? safe`job ${clean(job.name)}` : clean(route);

/** Less of a name than this says nothing. */
const minNameCells = 4;

/** The event, how many earlier ones it stands for, and the job that a route fired. */
function eventText({route, event, superseded = 0, job}: Run, room: number): Safe {
	const name = clean(event);
	const extras = [
		...(superseded > 0 ? [safe`+${superseded} old`] : []),
		...(job && route !== '-' ? [safe`job ${clean(job.name)}`] : []),
	];
	const [first, ...more] = extras;
	if (first === undefined) {
		return name;
	}

	// The name gives way: what it stands for is nowhere else in the row.
	const extra = more.reduce((text, part) => safe`${text} ${part}`, first);
	const rest = room - widthOf(extra) - 1;
	return rest < minNameCells ? extra : safe`${clip(name, rest)} ${extra}`;
}
