import type {Approval} from '../../../core/approval.ts';
import {originOf, originWords} from '../../../core/origin.ts';
import {needsDecision, targetWords, tookWords, type Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {clip, fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime} from '../../../terminal/text/time.ts';
import {runWordAt, runWords, waitsForLogin} from '../../entries/run-word.ts';
import {aboutText} from '../../lines/about.ts';
import {clean, type Line} from '../../lines/line.ts';
import {markSign} from '../../lines/marks.ts';

/** Cells of the columns that give way; 0 leaves one out, with its blank. */
export type RunColumns = {
	readonly id: number;
	readonly state: number;
	readonly took: number;
	readonly time: number;
	readonly route: number;
	readonly event: number;
	readonly target: number;
	readonly tools: number;
};

const cells = {signs: 3, time: 8} as const;

/** Cells that hold what there is, and at least what nearly every list has: columns that come and go with each run are hard to read. */
export type RunNeeds = Pick<RunColumns, 'id' | 'state' | 'took'>;

const least: RunNeeds = {id: 4, state: 9, took: 5};
const most: RunNeeds = {id: 8, state: 13, took: 8};

/** What is enough for any list. */
const usual: RunNeeds = {id: 5, state: 13, took: 7};

/** Lists that are narrower than this do without the route, and without the time where that would leave what they are about less than the other: the detail beside them has both, and what it is about tells runs apart. */
const routeFrom = 62;
const whyCells = 18;

/** What the runs that are shown need in a list beside its detail. */
export function runNeeds(runs: readonly Run[], now: number): RunNeeds {
	const widest = (cell: keyof RunNeeds, text: (run: Run) => Safe): number =>
		Math.min(
			most[cell],
			runs.reduce((wide, run) => Math.max(wide, widthOf(text(run))), least[cell]),
		);
	return {
		id: widest('id', ({id}) => clean(String(id))),
		state: widest('state', ({state}) => runWords[state].text),
		took: widest('took', run => tookText(run, now)),
	};
}

const tookText = (run: Run, now: number): Safe => clean(tookWords(run, now) ?? '-');

/** How `width` cells are shared: narrow lists do without the target and the tool calls, which the detail has, and give the other columns no more than `needs`. */
export function runColumns(width: number, needs: RunNeeds = usual): RunColumns {
	const isNarrow = width < routeFrom;
	const {id, state, took} = isNarrow ? needs : usual;
	const fixed = cells.signs + id + 1 + state + 1 + took;
	const tools = width >= 76 ? 5 : 0;
	const target = width >= 96 ? 14 : 0;
	const time = width - fixed - 1 - cells.time - 1 >= whyCells ? cells.time : 0;
	const spent = [time, tools, target].reduce((sum, one) => sum + (one > 0 ? one + 1 : 0), fixed);
	const rest = Math.max(minNameCells, width - spent - 1);
	const held = {id, state, took, time, target, tools};
	if (isNarrow) {
		return {...held, route: 0, event: rest};
	}

	const names = rest - 1;
	const route = Math.min(24, Math.floor(names * 0.34));
	return {...held, route, event: names - route};
}

/** The names of the columns. */
export const runHeader = (columns: RunColumns): Safe =>
	safe`   ${fit(literal('#'), columns.id)}${optional(literal('time'), columns.time)}${optional(literal('route'), columns.route)} ${fit(literal('why'), columns.event)} ${fit(literal('state'), columns.state)}${optional(literal('target'), columns.target)}${optional(literal('tools'), columns.tools)} ${fit(literal('took'), columns.took, {align: 'end'})}`;

const optional = (text: Safe, width: number): Safe =>
	width === 0 ? empty : safe` ${fit(text, width)}`;

/** One run as one row. */
export function runRow(
	run: Run,
	{
		columns,
		now,
		approval,
		isMarked = false,
	}: {
		readonly columns: RunColumns;
		readonly now: number;
		/** What it waits for. */
		readonly approval?: Approval | undefined;
		readonly isMarked?: boolean;
	},
	isSelected: boolean,
): Line {
	const {time, target, tools} = columns;
	// A long state takes from the name before it: when it begins is nowhere else in the row.
	const lendable = Math.max(0, columns.event - minNameCells);
	const word = runWordAt(run, now, {room: columns.state + lendable, approval});
	const borrowed = Math.min(Math.max(0, widthOf(word.text) - columns.state), lendable);
	const event = columns.event - borrowed;
	const why = eventText(run, event, columns.route > 0);
	const took = tookText(run, now);
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{
			text: needsDecision(run) || waitsForLogin(run) || approval ? literal('!') : literal(' '),
			tone: 'warn',
		},
		{text: markSign(isMarked), tone: 'accent'},
		{
			text: safe`${fit(clean(String(run.id)), columns.id)}${optional(clockTime(run.createdAt), time)}${optional(routeText(run), columns.route)} ${fit(why, event)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{text: fit(word.text, columns.state + borrowed), tone: word.tone},
		{
			text: safe`${optional(clean(targetWords(run)), target)}${optional(clean(String(run.toolCalls)), tools)} ${fit(took, columns.took, {align: 'end'})}`,
			tone: 'quiet',
		},
	];
}

/** What started it: its route, the job itself where a schedule or a person fired that, or a key of the API. */
const routeText = (run: Run): Safe => clean(originWords(originOf(run)));

/** Less of a name than this says nothing. */
const minNameCells = 4;

/** What its event is about, else the event, with its route where that has no column; how many earlier ones it stands for, and the job that a route fired. */
function eventText(run: Run, room: number, hasRoute: boolean): Safe {
	const {route, event, subject, superseded = 0, job} = run;
	const name =
		subject === undefined && !hasRoute
			? safe`${routeText(run)} ${clean(event)}`
			: aboutText(subject ?? event, room);
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
