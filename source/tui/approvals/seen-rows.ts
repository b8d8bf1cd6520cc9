import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Sheet} from './sheet.ts';

/** The first and the last row of a range, both from 0. */
export type RowRange = {readonly first: number; readonly last: number};

/** A text that must be seen before it is allowed, in its current layout. */
export type AskedText = {
	/** Names the request, its part, and the screen's size. Another name means another text. */
	readonly of: string;
	/** The rows as displayed, without cursors. */
	readonly rows: readonly string[];
	/** How many rows, from the first, must be seen. */
	readonly needed: number;
	/** The rows that are on the screen. */
	readonly shown: readonly RowRange[];
	/** The text is a form that the person fills in: rows that look unchanged stay seen. Any other text starts over when it changes. */
	readonly isFilledIn: boolean;
};

/** Which rows of a text have been on the screen. */
export type SeenRows = Pick<AskedText, 'of' | 'rows'> & {
	/** When each row was first seen, in `Clock.monotonic()`. */
	readonly since: ReadonlyArray<number | undefined>;
};

/** Adds the rows of `text` that are on the screen at `at` (`Clock.monotonic()`). Returns the same value when nothing is new. */
export function seeRows(before: SeenRows | undefined, text: AskedText, at: number): SeenRows {
	const known = sinceOf(before, text);
	const since = text.rows.map((_, row) => known[row] ?? (isIn(row, text.shown) ? at : undefined));
	const isSame =
		before?.of === text.of && isSameList(before.rows, text.rows) && isSameList(before.since, since);
	return isSame ? before : {of: text.of, rows: text.rows, since};
}

/** When the current rows of `text` were first seen. */
function sinceOf(
	before: SeenRows | undefined,
	{of, rows, isFilledIn}: AskedText,
): SeenRows['since'] {
	if (before?.of !== of) {
		return [];
	}

	if (isSameList(before.rows, rows)) {
		return before.since;
	}

	if (!isFilledIn) {
		return [];
	}

	const known = new Map(
		numbered(before.rows).map((row, index) => [row, before.since[index]] as const),
	);
	return numbered(rows).map(row => known.get(row));
}

/** Numbers rows with equal text, to tell them apart. */
function numbered(rows: readonly string[]): readonly string[] {
	const counts = new Map<string, number>();
	return rows.map(row => {
		const count = (counts.get(row) ?? 0) + 1;
		counts.set(row, count);
		return `${count} ${row}`;
	});
}

const isIn = (row: number, ranges: readonly RowRange[]): boolean =>
	ranges.some(({first, last}) => row >= first && row <= last);

const isSameList = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
	one === other ||
	(one.length === other.length && one.every((item, index) => item === other[index]));

/** The rows that must still be seen, in order; empty when all were. */
export function unseenRows(seen: SeenRows | undefined, text: AskedText): readonly RowRange[] {
	const since = sinceOf(seen, text);
	const ranges: RowRange[] = [];
	for (let row = 0; row < text.needed; row += 1) {
		const last = ranges.at(-1);
		if (since[row] !== undefined) {
			continue;
		}

		if (last?.last === row - 1) {
			ranges[ranges.length - 1] = {...last, last: row};
		} else {
			ranges.push({first: row, last: row});
		}
	}

	return ranges;
}

/** What was seen of each part of a request, by the part's name. */
export type SeenParts = Readonly<Partial<Record<string, SeenRows>>>;

export type AskedParts = Readonly<Partial<Record<string, AskedText>>>;

/** What a yes still waits for: unseen rows, a number of milliseconds, or nothing. */
export type SeenVerdict =
	| {readonly kind: 'unseen'; readonly part: string; readonly rows: readonly RowRange[]}
	| {readonly kind: 'early'; readonly waitMs: number}
	| {readonly kind: 'seen'};

/** Whether every part was on the screen, and its last row for `restMs` at `now`. */
export function judgeSeen(
	seen: SeenParts,
	asked: AskedParts,
	{now, restMs}: {readonly now: number; readonly restMs: number},
): SeenVerdict {
	let latest = -Infinity;
	for (const [part, text] of Object.entries(asked)) {
		if (text) {
			const rows = unseenRows(seen[part], text);
			if (rows.length > 0) {
				return {kind: 'unseen', part, rows};
			}

			const since = sinceOf(seen[part], text).slice(0, text.needed);
			latest = since.reduce<number>((last, at) => Math.max(last, at ?? Infinity), latest);
		}
	}

	const waitMs = latest + restMs - now;
	return waitMs > 0 ? {kind: 'early', waitMs} : {kind: 'seen'};
}

export type LockFacts = {
	readonly sheet: Pick<Sheet, 'wasPaged'>;
	/** The part on the screen, and its visible rows. */
	readonly part: string;
	readonly window: RowRange | undefined;
	readonly isWhole: boolean;
	readonly verdict: SeenVerdict;
	/** Milliseconds that the guard still waits; `undefined` until the sheet is drawn. */
	readonly waitMs: number | undefined;
	readonly size: {readonly columns: number};
	/** Still searching which arguments occur in the event. */
	readonly isLooking?: boolean;
};

/** Why no key may allow now; `undefined` if one may. */
export function lockReason(facts: LockFacts): Safe | undefined {
	const {sheet, isWhole, window, verdict, waitMs} = facts;
	if (waitMs === undefined) {
		return literal('not drawn yet');
	}

	if (!window) {
		return literal('needs more rows');
	}

	if (!isWhole && !sheet.wasPaged) {
		return literal('e opens all of it first');
	}

	if (verdict.kind === 'unseen') {
		return unseenText(verdict, {...facts, window});
	}

	const rest = Math.max(waitMs, verdict.kind === 'early' ? verdict.waitMs : 0);
	if (rest > 0) {
		return escapeLine(`keys in ${(Math.ceil(rest / 100) / 10).toFixed(1)} s`);
	}

	return facts.isLooking ? literal('looking into the event') : undefined;
}

const narrow = 80;

/** Names the rows that were not seen yet, as counted on the sheet, and the key that shows them. */
function unseenText(
	{part, rows: [first, ...more]}: Extract<SeenVerdict, {kind: 'unseen'}>,
	{part: shownPart, window, size}: LockFacts & {readonly window: RowRange},
): Safe {
	if (!first || part !== shownPart) {
		return literal('not all arguments seen: Esc');
	}

	const key =
		first.last > window.last
			? literal('PgDn')
			: first.first < window.first
				? literal('PgUp')
				: undefined;
	if (!key) {
		return literal('not drawn yet');
	}

	const rows =
		first.first === first.last
			? safe`${first.first + 1}`
			: safe`${first.first + 1}–${first.last + 1}`;
	const others = more.length === 0 ? literal('') : safe` +${more.length}`;
	return size.columns < narrow
		? safe`${rows}${others} unseen: ${key}`
		: safe`${first.first === first.last && more.length === 0 ? literal('row') : literal('rows')} ${rows}${others} not seen yet: ${key}`;
}
