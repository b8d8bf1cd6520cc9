import type {Filter} from '../../core/filter/filter.ts';
import {grouped as groupedText} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import type {AnyList} from '../state/list.ts';
import {line, type Line, type Span} from './line.ts';

/**
 * Joins parts of a title by a rule that continues to the edge: `── Traffic ── route:gh-* ── 312 of 4,812 ─────`.
 * An unfocused title has a dotted rule, which is visible without colours too.
 */
export function ruleLine(
	parts: readonly Line[],
	width: number,
	{hasKeyboard = true}: {readonly hasKeyboard?: boolean} = {},
): Line {
	const dash = hasKeyboard ? '─' : '·';
	const spans = parts
		.filter(part => part.length > 0)
		.flatMap((part): Line => [
			{text: escapeLine(`${dash}${dash} `), tone: 'quiet'},
			...part,
			{text: literal(' ')},
		]);
	const used = spans.reduce((sum, span) => sum + widthOf(span.text), 0);
	return [...spans, {text: escapeLine(dash.repeat(Math.max(0, width - used))), tone: 'quiet'}];
}

/** A filter as typed, with the parts that are not applied marked, and the reason of the first. */
export function filterSpans(text: string, {pieces, problem, doubt}: Filter<never>): Line {
	if (text.trim() === '') {
		return [];
	}

	const spans: Span[] = pieces.flatMap(({start, end, problem: wrong, doubt: empty}, index) => [
		...(index > 0 ? [{text: literal(' ')}] : []),
		{
			text: escapeLine(text.slice(start, end)),
			tone: wrong === undefined ? (empty === undefined ? 'accent' : 'warn') : 'invalid',
		} as const,
	]);
	if (problem !== undefined) {
		return [...spans, {text: escapeLine(`  ✗ ${problem}`), tone: 'bad'}];
	}

	return doubt === undefined ? spans : [...spans, {text: escapeLine(`  ? ${doubt}`), tone: 'warn'}];
}

/** `4,812`. */
export const groupedCell = (count: number): Safe => escapeLine(groupedText(count));

/** `312`; `312+` if there may be more. */
const atLeast = (count: number, isCut: boolean): Safe =>
	isCut ? safe`${groupedCell(count)}+` : groupedCell(count);

/** `312+ of 4,812`: how many items match the filter, of those searched. */
function filteredCount(list: AnyList): Safe {
	const {items, total, isTotalCut, isWhole, filterText} = list.get();
	const all = atLeast(total, isTotalCut);
	// Without a filter everything matches, including what is not loaded.
	return filterText.trim() === '' ? all : safe`${atLeast(items.length, !isWhole)} of ${all}`;
}

/** `312 of 4,812 (limit 5,000)`, `3 servers`: how many items match the filter. `limit`: the list's bound. */
export function countPart(
	list: AnyList,
	{limit, noun}: {readonly limit?: number; readonly noun?: readonly [one: Safe, many: Safe]} = {},
): Line {
	const {items, total, isWhole} = list.get();
	const shown = items.length === total && isWhole ? groupedCell(total) : filteredCount(list);
	const bound =
		limit !== undefined && total === limit ? safe` (limit ${groupedCell(limit)})` : literal('');
	const name = noun ? safe` ${total === 1 ? noun[0] : noun[1]}` : literal('');
	return [{text: safe`${shown}${bound}${name}`, tone: 'quiet'}];
}

/** How far back a filter has searched the journal, if the state does not hold everything: `searched back to 14 Nov 09:12 · 12,000 of 10,000,000`. */
export function searchedPart(list: AnyList): Line {
	const {searched, items, total, filterText} = list.get();
	if (!searched) {
		return [];
	}

	if (searched.problem !== undefined) {
		// An empty list shows the problem in its own rows.
		return items.length === 0
			? []
			: [{text: escapeLine(`older ones cannot be read: ${searched.problem}`), tone: 'bad'}];
	}

	if (searched.most !== undefined) {
		return [{text: safe`the newest ${groupedCell(searched.most)} of those done`, tone: 'quiet'}];
	}

	if (filterText.trim() === '' || searched.isWhole) {
		return [];
	}

	const back = searched.at === undefined ? '' : ` back to ${dayTime(searched.at)}`;
	return line(
		safe`searched${escapeLine(back)} · ${groupedCell(searched.rows)} of ${groupedCell(total)}`,
		'quiet',
	);
}

/** Whether a live list follows new items, and how many came since it stopped. */
export function followPart(list: AnyList): Line {
	const {isFollowing, window} = list.get();
	if (isFollowing) {
		return [{text: literal('following'), tone: 'quiet'}];
	}

	const {newer, isNewerCut = false} = window;
	const came = newer > 0 ? safe` · ${atLeast(newer, isNewerCut)} newer` : literal('');
	return [{text: safe`paused${came}, f to follow`, tone: 'warn'}];
}
