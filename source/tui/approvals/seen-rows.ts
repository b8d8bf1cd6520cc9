import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Sheet} from './sheet.ts';

/** Rows of a text, the first and the last, both from 0. */
export type RowRange = {readonly first: number; readonly last: number};

/** A text that has to be seen before it is allowed, as it is laid out now. */
export type AskedText = {
	/** Names the request, the part of it, and the size of the screen: under another name it is another text. */
	readonly of: string;
	/** As they look, but for cursors. */
	readonly rows: readonly string[];
	/** How many of the rows, from the first, have to be seen. */
	readonly needed: number;
	/** The rows that are on the screen. */
	readonly shown: readonly RowRange[];
	/** A person changes it: rows that look as they did stay seen. Any other change begins anew. */
	readonly isFilledIn: boolean;
};

/** What was on the screen of a text so far. */
export type SeenRows = Pick<AskedText, 'of' | 'rows'> & {
	/** Since when each row was seen, `Clock.monotonic()`. */
	readonly since: ReadonlyArray<number | undefined>;
};

/** What was seen once `text` stands on the screen, `at` a time of `Clock.monotonic()`. The same value when nothing is new. */
export function seeRows(before: SeenRows | undefined, text: AskedText, at: number): SeenRows {
	const known = sinceOf(before, text);
	const since = text.rows.map((_, row) => known[row] ?? (isIn(row, text.shown) ? at : undefined));
	const isSame =
		before?.of === text.of && isSameList(before.rows, text.rows) && isSameList(before.since, since);
	return isSame ? before : {of: text.of, rows: text.rows, since};
}

/** Since when the rows of `text`, as they are now, were seen. */
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

/** Rows that look the same are told apart by which of them they are. */
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

/** The rows that have to be seen and were not, in order; empty when all were. */
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

/** The parts of a request, by their name among the parts. */
export type SeenParts = Readonly<Partial<Record<string, SeenRows>>>;

export type AskedParts = Readonly<Partial<Record<string, AskedText>>>;

/** What a yes has to wait for: rows that were not on the screen, so many milliseconds more, or nothing. */
export type SeenVerdict =
	| {readonly kind: 'unseen'; readonly part: string; readonly rows: readonly RowRange[]}
	| {readonly kind: 'early'; readonly waitMs: number}
	| {readonly kind: 'seen'};

/** Whether every part that is asked was on the screen, the last row of them for `restMs` at `now`. */
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
	/** The part that is on the screen, and its rows there. */
	readonly part: string;
	readonly window: RowRange | undefined;
	readonly isWhole: boolean;
	readonly verdict: SeenVerdict;
	/** Milliseconds that the guard waits; `undefined` while the sheet is not drawn. */
	readonly waitMs: number | undefined;
	readonly size: {readonly columns: number};
	/** It is not known yet which arguments stand in the event. */
	readonly isLooking?: boolean;
};

/** Why no key may allow now; `undefined` when one may. */
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

/** Which rows were not on the screen, as they are counted there, and the key that brings them. */
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
