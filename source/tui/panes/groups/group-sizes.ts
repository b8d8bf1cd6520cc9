import type {Group} from '../../../core/group.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {duration} from '../../../terminal/text/time.ts';
import {clean, type Line} from '../../lines/line.ts';
import {sparkline} from '../../lines/sparkline.ts';

/** How many events a group may have gathered to be counted under a name. */
const sizes = [
	{name: literal('1'), upTo: 1},
	{name: literal('2-4'), upTo: 4},
	{name: literal('5-9'), upTo: 9},
	{name: literal('10+'), upTo: Infinity},
] as const;

/** How many of the dispatched groups gathered one event, a few, many; as many numbers as there are names. */
export function sizesOf(groups: readonly Group[]): readonly number[] {
	const counts = sizes.map(() => 0);
	for (const {state, count} of groups) {
		const at = sizes.findIndex(({upTo}) => count <= upTo);
		if (state === 'dispatched' && at >= 0) {
			counts[at] = (counts[at] ?? 0) + 1;
		}
	}

	return counts;
}

/** What the dispatched groups waited from their first event on: the middle one and the longest, milliseconds. */
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

/** The heading of what is done: how many events those groups gathered, as a picture of four bars, and how long they waited. */
export function doneHeading(groups: readonly Group[]): Line {
	const bars = sparkline(sizesOf(groups)).split('');
	const waits = waitsOf(groups);
	return [
		{text: literal('  ── done ── '), tone: 'quiet'},
		{text: literal('events'), tone: 'quiet'},
		...sizes.flatMap(({name}, index): Line => [
			{text: safe`  ${name} `, tone: 'quiet'},
			{text: clean(bars[index] ?? ''), tone: 'accent'},
		]),
		...(waits
			? [
					{
						text: safe` ── median wait ${duration(waits.median)}, longest ${duration(waits.longest)}`,
						tone: 'quiet' as const,
					},
				]
			: []),
	];
}
