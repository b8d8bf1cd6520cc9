/** A list to show a window of, oldest row first. Ids are unique and never change. */
export type RowList = {
	readonly length: number;
	idAt(index: number): string;
	/** -1 if no row has the id. */
	indexOf(id: string): number;
	/** For lists whose newest row is not the last: its index, and how many rows are newer than an id, whose row may be gone. */
	readonly age?: {readonly newest: number; newerThan(id: string): number};
};

/** A row remembered by id. The index is its last position, used when the row is gone. */
type Anchor = {readonly id: string; readonly index: number};

/** A position in a list. Rows are remembered by id, so that the screen stands still while rows are added at one end and dropped at the other. */
export type ListPosition = {
	/** Keeps the newest row selected and visible. */
	readonly follow: boolean;
	readonly cursor?: Anchor;
	/** The first visible row. */
	readonly top?: Anchor;
	/** The newest row when following ended. */
	readonly seen?: Anchor;
};

export type ListWindow = {
	/** Rows `start` to `end` (exclusive) are visible; never more than the height. */
	readonly start: number;
	readonly end: number;
	/** Index of the selected row; -1 in an empty list. */
	readonly cursor: number;
	/** How many rows were added since following ended; 0 while following. */
	readonly newer: number;
	/** `newer` is a lower bound. */
	readonly isNewerCut?: boolean;
	/** The resulting position, to be stored. */
	readonly position: ListPosition;
};

export type ListMove =
	| 'down'
	| 'up'
	| 'page-down'
	| 'page-up'
	| 'half-down'
	| 'half-up'
	| 'first'
	| 'last'
	| 'follow'
	| 'pause'
	| {readonly to: string};

/** What each key means in a list with its newest row at the top. */
export const reversedMoves: Readonly<Record<Extract<ListMove, string>, ListMove>> = {
	down: 'up',
	up: 'down',
	'page-down': 'page-up',
	'page-up': 'page-down',
	'half-down': 'half-up',
	'half-up': 'half-down',
	first: 'last',
	last: 'first',
	follow: 'follow',
	pause: 'pause',
};

/** Follows the newest row. */
export const atNewest: ListPosition = {follow: true};

/** Starts at the first row, for lists that do not grow while they are read. */
export const atFirst: ListPosition = {follow: false};

/** A `RowList` over an array, with ids by `idOf`. */
export function rowsOf<Row>(items: readonly Row[], idOf: (row: Row) => string): RowList {
	const idAt = (index: number) => {
		const item = items[index];
		return item === undefined ? '' : idOf(item);
	};

	return {length: items.length, idAt, indexOf: id => items.findIndex(item => idOf(item) === id)};
}

/** The part of `rows` visible from `position` in `height` rows (0 or more), including the selected row. Pure. */
export function windowOf(rows: RowList, position: ListPosition, height: number): ListWindow {
	const visible = Math.min(Math.max(0, Math.floor(height)), rows.length);
	const last = rows.length - 1;
	const cursor = position.follow ? last : Math.min(find(rows, position.cursor), last);
	const wantedTop = position.follow ? rows.length - visible : find(rows, position.top);
	const start = clamp(wantedTop, {
		min: Math.max(0, cursor - Math.max(1, visible) + 1),
		max: Math.min(Math.max(0, cursor), rows.length - visible),
	});

	return {
		start,
		end: start + visible,
		cursor,
		newer: position.follow || !position.seen ? 0 : newerRows(rows, position.seen),
		position: anchored(rows, {follow: position.follow, cursor, start, seen: position.seen}),
	};
}

/** The position after `move`. Every cursor move ends following. Pure. */
export function moveIn(
	rows: RowList,
	position: ListPosition,
	{move, height}: {readonly move: ListMove; readonly height: number},
): ListPosition {
	const {start, cursor, position: now} = windowOf(rows, position, height);
	if (move === 'follow') {
		return atNewest;
	}

	const seen = position.follow ? anchorAt(rows, rows.age?.newest ?? rows.length - 1) : now.seen;
	if (move === 'pause') {
		return anchored(rows, {follow: false, cursor, start, seen});
	}

	const target = targetOf(rows, {move, cursor, height});
	const next = clamp(target, {min: 0, max: rows.length - 1});
	// Paging moves the window too, so that the cursor keeps its place on the screen.
	const shift = isPaging(move) ? next - cursor : 0;
	const moved = anchored(rows, {
		follow: false,
		cursor: next,
		start: Math.max(0, start + shift),
		seen,
	});
	return windowOf(rows, moved, height).position;
}

const isPaging = (move: ListMove) => typeof move === 'string' && /^(?:page|half)-/.test(move);

type Step = {move: Exclude<ListMove, 'follow' | 'pause'>; cursor: number; height: number};

function targetOf(rows: RowList, {move, cursor, height}: Step): number {
	if (typeof move === 'string') {
		return cursor + rowsMoved(move, height);
	}

	const index = rows.indexOf(move.to);
	return index === -1 ? cursor : index;
}

/** By how many rows a move goes down, if `height` of them are visible. */
export function rowsMoved(move: Extract<ListMove, string>, height: number): number {
	const page = Math.max(1, height - 1);
	const half = Math.max(1, Math.floor(height / 2));
	const pages = {'page-down': page, 'page-up': -page, 'half-down': half, 'half-up': -half};
	const others = {down: 1, up: -1, first: -Infinity, last: Infinity, follow: 0, pause: 0};
	return {...pages, ...others}[move];
}

function anchored(
	rows: RowList,
	at: {
		readonly follow: boolean;
		readonly cursor: number;
		readonly start: number;
		readonly seen: Anchor | undefined;
	},
): ListPosition {
	const cursor = anchorAt(rows, at.cursor);
	const top = anchorAt(rows, at.start);
	return {
		follow: at.follow,
		...(cursor && {cursor}),
		...(top && {top}),
		...(at.seen && !at.follow && {seen: at.seen}),
	};
}

const anchorAt = (rows: RowList, index: number): Anchor | undefined =>
	index >= 0 && index < rows.length ? {id: rows.idAt(index), index} : undefined;

/** The row's current index. If the row was dropped or filtered out, its old index, if that still exists. */
function find(rows: RowList, anchor: Anchor | undefined): number {
	if (!anchor) {
		return 0;
	}

	const index = rows.indexOf(anchor.id);
	return index === -1 ? Math.min(anchor.index, Math.max(0, rows.length - 1)) : index;
}

const newerRows = (rows: RowList, seen: Anchor): number =>
	rows.age ? rows.age.newerThan(seen.id) : Math.max(0, rows.length - 1 - find(rows, seen));

const clamp = (value: number, {min, max}: {readonly min: number; readonly max: number}) =>
	Math.max(min, Math.min(value, max));
