import {derive} from '../../core/derive.ts';
import {dueOf, type Group, type GroupReason} from '../../core/group.ts';
import {compact} from '../../core/names.ts';
import type {Run} from '../../core/run.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {clockTime, duration} from '../../terminal/text/time.ts';
import type {Word} from '../noun.ts';
import {runOf, runWords} from '../run/run-word.ts';

/** One of the two timers of a pending group. */
export type GroupClock = {
	/** The elapsed share, 0 to 1. */
	readonly share: number;
	/** Milliseconds until it ends; never below 0. */
	readonly leftMs: number;
	/** The timer's length in milliseconds. */
	readonly wholeMs: number;
};

/** The quiet window restarts with each event, the cap runs from the first. `now`: milliseconds since 1970. */
export const clocksOf = (
	{firstAt, lastAt, quietAt, capAt}: Group,
	now: number,
): {readonly quiet: GroupClock; readonly cap: GroupClock} => ({
	quiet: clockOf(lastAt, quietAt, now),
	cap: clockOf(firstAt, capAt, now),
});

function clockOf(start: number, end: number, now: number): GroupClock {
	const wholeMs = Math.max(0, end - start);
	const leftMs = Math.min(wholeMs, Math.max(0, end - now));
	return {wholeMs, leftMs, share: wholeMs === 0 ? 1 : 1 - leftMs / wholeMs};
}

/** `█████░░░`: the elapsed part of a timer in `cells` cells; full only at its end. */
export function clockBar({share}: GroupClock, cells: number): string {
	const filled = Math.min(cells, Math.floor(share * cells));
	return '█'.repeat(filled) + '░'.repeat(cells - filled);
}

const maxInSeconds = 999;

/** `17 s`, or from a thousand seconds on `16:40`; rounded up. */
export function secondsText(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	return seconds <= maxInSeconds ? `${seconds} s` : duration(seconds * 1000);
}

/** A timer in `room` cells: a bar and the remaining time; the bar and `suffix` only if they fit. */
export function clockWords(clock: GroupClock, room: number, suffix = ''): readonly Word[] {
	const left =
		room < withSuffix ? secondsText(clock.leftMs) : `${secondsText(clock.leftMs)}${suffix}`;
	const cells = leftCells + (room < withSuffix ? 0 : suffix.length - 2);
	const bar = Math.max(0, room - cells - 1);
	return [
		...(bar > 0 ? [{text: `${clockBar(clock, bar)} `, tone: 'accent'} as const] : []),
		{text: left.padStart(cells)},
	];
}

/** `  17 s`. */
const leftCells = 7;
const withSuffix = 19;

/** The timers' heading with their length, if it is the same in all visible rows; as much as fits. */
export const clockLabel =
	(names: readonly string[], lengthOf: (group: Group) => number) =>
	(shown: readonly Group[], room: number): string => {
		const lengths = new Set(shown.filter(({state}) => state === 'pending').map(lengthOf));
		const [length] = lengths;
		const whole =
			length === undefined || lengths.size > 1 ? [] : [`${names[0] ?? ''} ${secondsText(length)}`];
		return [...whole, ...names].find(text => widthOf(text) <= room) ?? names.at(-1) ?? '';
	};

/** `dispatch 15:04:24`, or the time alone. */
export function nextText(group: Group, now: number, room: number): string {
	const {at, reason} = dueOf(group);
	if (at <= now) {
		return 'now';
	}

	return room < widestNext
		? clockTime(at)
		: `${reason === 'cap' ? 'cap' : 'dispatch'} ${clockTime(at)}`;
}

const widestNext = 17;

/** Why a group was dispatched: for a row, in short, and in a sentence. */
export const reasons: Readonly<
	Record<GroupReason, readonly [row: string, short: string, why: string]>
> = {
	quiet: ['by quiet window', 'quiet', 'the window passed without another event'],
	cap: ['by cap', 'cap', 'the longest wait was over'],
	stop: ['at stop', 'stop', 'the receiver stopped'],
	person: ['by a person', 'person', 'a person asked for it'],
};

/** `dispatched 11:46:40 by quiet window`, as much as fits. */
export function doneText({dispatchedAt, reason}: Group, room: number): string {
	const at = dispatchedAt === undefined ? '-' : clockTime(dispatchedAt);
	const [long, short] = reason ? reasons[reason] : ['', ''];
	const texts = [`dispatched ${at} ${long}`, `${at} ${long}`];
	return texts.find(text => text.length <= room) ?? `${at} ${short}`;
}

/** `#183 ✓ done 0:41`: a group's run; only the sign if there is little room. */
export function runWordsOf({runId}: Group, runs: readonly Run[], room: number): readonly Word[] {
	const run = runOf(runs, runId);
	const isShort = room < widestNext;
	const took =
		run?.startedAt === undefined || run.finishedAt === undefined || isShort
			? ''
			: ` ${duration(run.finishedAt - run.startedAt)}`;
	const word = run && runWords[run.state];
	return [
		{text: runId === undefined ? '' : `#${runId} `, tone: 'quiet'},
		...(word ? [isShort ? {...word, text: word.text.slice(0, 1)} : word] : []),
		{text: took, tone: 'quiet'},
	];
}

/** Names for numbers of events in a group, with their upper bounds. */
const sizes = [
	{name: '1', upTo: 1},
	{name: '2-4', upTo: 4},
	{name: '5-9', upTo: 9},
	{name: '10+', upTo: Infinity},
] as const;

/** How many dispatched groups had one event, a few, many: a number for each name. */
export const sizesOf = (groups: readonly Group[]): readonly number[] => {
	const done = groups.filter(({state}) => state === 'dispatched');
	return sizes.map(
		({upTo}, index) =>
			done.filter(({count}) => count <= upTo && count > (sizes[index - 1]?.upTo ?? 0)).length,
	);
};

/** The median and longest wait of dispatched groups since their first event, in milliseconds. */
export function waitsOf(
	groups: readonly Group[],
): {readonly median: number; readonly longest: number} | undefined {
	const waits = groups
		.flatMap(({state, firstAt, dispatchedAt}) =>
			state === 'dispatched' && dispatchedAt !== undefined ? [dispatchedAt - firstAt] : [],
		)
		.toSorted((one, other) => one - other);
	const longest = waits.at(-1);
	const median = waits[Math.floor((waits.length - 1) / 2)];
	return longest === undefined || median === undefined ? undefined : {median, longest};
}

/** The heading of dispatched groups: four bars of their sizes, and their median and longest wait. */
export const doneHeading = derive((groups: readonly Group[]): readonly Word[] => {
	const bars = sparkline(sizesOf(groups));
	const waits = waitsOf(groups);
	return compact<Word>([
		{text: '  ── done ── events', tone: 'quiet'},
		...sizes.flatMap(({name}, index): readonly Word[] => [
			{text: `  ${name} `, tone: 'quiet'},
			{text: bars.charAt(index), tone: 'accent'},
		]),
		waits && {
			text: ` ── median wait ${duration(waits.median)}, longest ${duration(waits.longest)}`,
			tone: 'quiet',
		},
	]);
});
