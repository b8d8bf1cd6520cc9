/** A list to show a window of, oldest row first. Ids are unique and stay with their row. */
export type RowList = {
	readonly length: number;
	idAt(index: number): string;
	/** -1 when no row has the id. */
	indexOf(id: string): number;
	/** Where the newest row is not the last one: its index, and how many are newer than the row with an id, which may be gone. */
	readonly age?: {readonly newest: number; newerThan(id: string): number};
};

/** A row that is remembered by what it is. The index is where it stood last, for when it is gone. */
type Anchor = {readonly id: string; readonly index: number};

/**
 * Where a person is in a list. Rows are remembered by id, so that what is on the screen stays there while rows come in
 * below and old ones drop out above.
 */
export type ListPosition = {
	/** The newest row is kept selected and in view. */
	readonly follow: boolean;
	readonly cursor?: Anchor;
	/** The first row that is shown. */
	readonly top?: Anchor;
	/** The newest row when following ended. */
	readonly seen?: Anchor;
};

export type ListWindow = {
	/** Rows `start` to `end` (exclusive) are shown; never more than the height. */
	readonly start: number;
	readonly end: number;
	/** Index of the selected row; -1 in an empty list. */
	readonly cursor: number;
	/** Rows that came since following ended; 0 while following. */
	readonly newer: number;
	/** There may be more of them than are known. */
	readonly isNewerCut?: boolean;
	/** The position as it is now; to be kept for the next time. */
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

/** What each key means where the newest stands above. */
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

/** Following the newest row. */
export const atNewest: ListPosition = {follow: true};

/** At the first row, for lists that do not grow while they are read. */
export const atFirst: ListPosition = {follow: false};

/** `rows` over an array, by `idOf`. */
export function rowsOf<Row>(items: readonly Row[], idOf: (row: Row) => string): RowList {
	const idAt = (index: number) => {
		const item = items[index];
		return item === undefined ? '' : idOf(item);
	};

	return {length: items.length, idAt, indexOf: id => items.findIndex(item => idOf(item) === id)};
}

/** The part of `rows` that a person at `position` sees in `height` rows (0 or more), with the selected row in it. Pure. */
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

/** Where `move` leads from `position`. Every move of the cursor ends following. Pure. */
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
	// A page moves the window too, so that the cursor keeps its place on the screen.
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

/** Rows that a move leads down, where `height` of them are seen. */
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

/** Where the row is now. A row that dropped out was among the oldest or was filtered out: its old place, if there is one. */
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
