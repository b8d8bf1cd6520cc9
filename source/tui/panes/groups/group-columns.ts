import type {Group} from '../../../core/group.ts';
import type {Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {runWords} from '../../../nouns/run/run-word.ts';
import {fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, duration} from '../../../terminal/text/time.ts';
import {clean, type Line, type Span} from '../../lines/line.ts';
import {
	bar,
	clocksOf,
	nextOf,
	reasonWords,
	secondsText,
	shortReasons,
	type GroupClock,
} from './clocks.ts';

/** Cells of the columns that give way; 0 leaves a bar out, with its blank. */
export type GroupColumns = {
	readonly route: number;
	readonly key: number;
	readonly events: number;
	readonly quietBar: number;
	readonly capBar: number;
	/** Room for `17 s left`, or for `17 s`. */
	readonly quietText: number;
	/** Room for `dispatch 15:04:24`, or for the time. */
	readonly next: number;
};

const cells = {signs: 2, capText: 7} as const;
const blanks = 5;

const maxKeyCells = 64;

const narrowest = {from: 0, events: 9, quietBar: 0, capBar: 0, quietText: 7, next: 8} as const;

/** By the width from which they have room. */
const shapes = [
	{from: 160, events: 14, quietBar: 26, capBar: 20, quietText: 10, next: 17},
	{from: 120, events: 11, quietBar: 13, capBar: 10, quietText: 10, next: 17},
	{from: 100, events: 10, quietBar: 8, capBar: 6, quietText: 10, next: 17},
	{from: 76, events: 9, quietBar: 8, capBar: 0, quietText: 7, next: 8},
] as const;

/** How `width` cells are shared: narrow screens do without the bar of the cap, then without bars, but keep the seconds. */
export function groupColumnWidths(width: number): GroupColumns {
	const shape = shapes.find(({from}) => width >= from) ?? narrowest;
	const {events, quietBar, capBar, quietText, next} = shape;
	const bars = (quietBar > 0 ? quietBar + 1 : 0) + (capBar > 0 ? capBar + 1 : 0);
	const spent = cells.signs + events + bars + quietText + cells.capText + next + blanks;
	const rest = Math.max(16, width - spent);
	const route = Math.min(28, Math.floor(rest * 0.4));
	return {...shape, route, key: Math.min(maxKeyCells, rest - route)};
}

/** The names of the columns. `whole`: the clocks of the groups that are shown, named when all have the same. */
export function groupHeader(columns: GroupColumns, whole: readonly Group[]): Safe {
	const {route, key, events} = columns;
	const {quiet, cap} = clockCells(columns);
	const pending = whole.filter(({state}) => state === 'pending');
	const quietMs = common(pending.map(group => group.quietAt - group.lastAt));
	const capMs = common(pending.map(group => group.capAt - group.firstAt));
	return safe`  ${fit(literal('route'), route)} ${fit(literal('key'), key)} ${fit(literal('events'), events)} ${fit(named(literal('quiet window'), literal('quiet'), {ms: quietMs, room: quiet}), quiet)} ${fit(named(literal('cap'), literal('cap'), {ms: capMs, room: cap}), cap)} next`;
}

/** `quiet window 30 s`, as much of it as has room. */
function named(
	name: Safe,
	short: Safe,
	{ms, room}: {readonly ms: number | undefined; readonly room: number},
): Safe {
	const full = ms === undefined ? name : safe`${name} ${secondsText(ms)}`;
	return [full, name].find(text => widthOf(text) <= room) ?? short;
}

const common = ([first, ...others]: readonly number[]): number | undefined =>
	others.every(other => other === first) ? first : undefined;

/** Cells of each clock, bar and seconds. */
const clockCells = ({quietBar, quietText, capBar}: GroupColumns) => ({
	quiet: quietText + (quietBar > 0 ? quietBar + 1 : 0),
	cap: cells.capText + (capBar > 0 ? capBar + 1 : 0),
});

export type GroupFacts = {
	readonly columns: GroupColumns;
	/** Milliseconds since 1970. */
	readonly now: number;
	/** The run that the group became, as far as it is known. */
	readonly run: Run | undefined;
};

/** One group as one row. */
export function groupRow(group: Group, facts: GroupFacts, isSelected: boolean): Line {
	const {route, key, events} = facts.columns;
	return [
		{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
		{
			text: safe`${fit(clean(group.route), route)} ${fit(clean(group.key), key)} ${fit(eventsText(group, events), events)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		...(group.state === 'pending' ? pendingSpans(group, facts) : doneSpans(group, facts)),
	];
}

/** `6 (5 old)`: all but the latest are superseded. */
function eventsText({count}: Group, room: number): Safe {
	if (count === 1) {
		return literal('1');
	}

	const full = safe`${count} (${count - 1} old)`;
	return widthOf(full) <= room ? full : safe`${count} (${count - 1})`;
}

function pendingSpans(group: Group, {columns, now}: GroupFacts): readonly Span[] {
	const {quietBar, quietText, capBar, next} = columns;
	const {quiet, cap} = clocksOf(group, now);
	const {at, word} = nextOf(group);
	const isDue = at <= now;
	const left = secondsText(quiet.leftMs);
	const nextText = next > 8 ? safe`${word} ${clockTime(at)}` : clockTime(at);
	return [
		...barSpan(quiet, quietBar),
		{text: safe`${fit(quietText > 7 ? safe`${left} left` : left, quietText, {align: 'end'})} `},
		...barSpan(cap, capBar),
		{text: safe`${fit(secondsText(cap.leftMs), cells.capText, {align: 'end'})} `},
		{text: isDue ? literal('now') : nextText, tone: isDue ? 'accent' : 'quiet'},
	];
}

const barSpan = (clock: GroupClock, width: number): readonly Span[] =>
	width === 0 ? [] : [{text: safe`${bar(clock, width)} `, tone: 'accent'}];

function doneSpans({dispatchedAt, reason, runId}: Group, {columns, run}: GroupFacts) {
	const {quiet, cap} = clockCells(columns);
	const isShort = columns.next <= 8;
	const room = quiet + cap + 1;
	const at = dispatchedAt === undefined ? literal('-') : clockTime(dispatchedAt);
	const words = room < 24 ? shortReasons : reasonWords;
	const why = reason === undefined ? empty : safe` ${words[reason]}`;
	const took =
		run?.startedAt === undefined || run.finishedAt === undefined
			? empty
			: safe` ${duration(run.finishedAt - run.startedAt)}`;
	const spans: readonly Span[] = [
		{
			text: safe`${fit(isShort ? safe`${at}${why}` : safe`dispatched ${at}${why}`, room)} `,
			tone: 'quiet',
		},
		{text: runId === undefined ? empty : safe`#${runId} `, tone: 'quiet'},
		...(run ? [isShort ? shortWord(run) : runWords[run.state]] : []),
		{text: isShort ? empty : took, tone: 'quiet'},
	];
	return spans;
}

/** Only the sign, where the word has no room. */
const shortWord = ({state}: Run): Span => ({
	...runWords[state],
	text: clean(runWords[state].text.slice(0, 1)),
});
