import {dueOf, type Group, type GroupReason} from '../../../core/group.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {duration} from '../../../terminal/text/time.ts';
import {clean} from '../../lines/line.ts';

/** One of the two clocks of a pending group. */
export type GroupClock = {
	/** How much of it has passed, 0 to 1. */
	readonly share: number;
	/** Milliseconds until it ends; never below 0. */
	readonly leftMs: number;
	/** Milliseconds that it has in all. */
	readonly wholeMs: number;
};

/** The quiet window begins anew with each event, the cap with the first one. `now`: milliseconds since 1970. */
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

/** `█████░░░`: what has passed of a clock in `cells` cells. Full only when it is over. */
export function bar({share}: GroupClock, cells: number): Safe {
	const filled = Math.min(cells, Math.floor(share * cells));
	return clean('█'.repeat(filled) + '░'.repeat(cells - filled));
}

const maxInSeconds = 999;

/** `17 s`, and from a thousand on `16:40`; begun seconds count. */
export function secondsText(ms: number): Safe {
	const seconds = Math.ceil(ms / 1000);
	return seconds <= maxInSeconds ? clean(`${seconds} s`) : duration(seconds * 1000);
}

/** When a pending group is dispatched, and by which clock. */
export const nextOf = (group: Group): {readonly at: number; readonly word: Safe} => {
	const {at, reason} = dueOf(group);
	return {at, word: reason === 'cap' ? literal('cap') : literal('dispatch')};
};

/** Why a group was dispatched. */
export const reasonWords: Readonly<Record<GroupReason, Safe>> = {
	quiet: literal('by quiet window'),
	cap: literal('by cap'),
	stop: literal('at stop'),
	person: literal('by a person'),
};

/** The same where there is little room. */
export const shortReasons: typeof reasonWords = {
	quiet: literal('quiet'),
	cap: literal('cap'),
	stop: literal('stop'),
	person: literal('person'),
};
