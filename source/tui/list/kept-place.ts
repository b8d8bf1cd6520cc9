import {type ListPosition, type ListWindow, type RowList, windowOf} from './window.ts';

/** A row's rank among all rows, including those that the filter excludes: a number that grows along the list, defined for removed rows too; `NaN` if unknown. */
export type RankOf = (id: string) => number;

/**
 * `position` with the nearest row selected if the selected one is not among `rows`, at the same height on the screen. Store the result: an index alone would move
 * to another row with each new one. Returns the same position if nothing is missing. Pure.
 */
export function keptPosition(
	rows: RowList,
	position: ListPosition,
	{rankOf, height}: {readonly rankOf: RankOf; readonly height: number},
): ListPosition {
	const {follow, cursor, top} = position;
	if (follow || !cursor || rows.length === 0) {
		return position;
	}

	const there = rows.indexOf(cursor.id);
	if (there !== -1 && top && rows.indexOf(top.id) !== -1) {
		return position;
	}

	const index = there === -1 ? nearest(rows, cursor, rankOf) : there;
	const above = top ? Math.max(0, cursor.index - top.index) : 0;
	const first = Math.max(0, index - above);
	const wanted = {
		...position,
		cursor: {id: rows.idAt(index), index},
		top: {id: rows.idAt(first), index: first},
	};
	return windowOf(rows, wanted, height).position;
}

/** How many rows rank above `rank`, counted from the newest; all of them if it is `NaN`. Pure. */
export function newerThan(rows: RowList, rank: number, rankOf: RankOf): number {
	let count = 0;
	while (count < rows.length && !(rankOf(rows.idAt(rows.length - 1 - count)) <= rank)) {
		count += 1;
	}

	return count;
}

function nearest(
	rows: RowList,
	{id, index}: {readonly id: string; readonly index: number},
	rankOf: RankOf,
): number {
	const rank = rankOf(id);
	let best = Math.min(index, rows.length - 1);
	let least = Infinity;
	for (let at = 0; at < rows.length; at++) {
		const distance = Math.abs(rankOf(rows.idAt(at)) - rank);
		if (distance < least) {
			[best, least] = [at, distance];
		}
	}

	return best;
}

type Shown<Item> = {
	readonly wish: {readonly position: ListPosition};
	readonly live: readonly Item[];
	readonly height: number;
};

/**
 * Remembers the position in a list whose filter or bound removes rows, and returns the visible window of `rows`. `rankOf`: see `ListOptions`. `wish` is the same
 * value until the person moves or filters; `live` is all that the state holds, in list order.
 */
export function createPlace<Item>(keyOf: (item: Item) => string, rankOf: RankOf | undefined) {
	/** The position that replaces one whose row is gone. The wish itself is kept: another filter may show its row again. */
	let kept: {readonly wish: unknown; readonly position: ListPosition} | undefined;

	return (rows: RowList, {wish, live, height}: Shown<Item>): ListWindow => {
		const rank = rankOf ?? placesIn(() => live.map(keyOf));
		const {cursor} = wish.position;
		// A filter that matches nothing for a moment, or a page being reloaded, must not lose the position.
		const isThere = cursor !== undefined && rows.indexOf(cursor.id) !== -1;
		const last = kept?.wish === wish && !isThere ? kept.position : wish.position;
		const position = keptPosition(rows, last, {rankOf: rank, height});
		kept = {wish, position};
		const window = windowOf(rows, position, height);
		const {follow, seen} = window.position;
		if (follow || !seen || rows.indexOf(seen.id) !== -1) {
			return window;
		}

		// The row that was newest then is filtered out or dropped; ranks before the oldest row of the state are unknown.
		const since = rank(seen.id);
		const [oldest] = live;
		const isNewerCut = oldest !== undefined && !(since >= rank(keyOf(oldest)));
		const newer = rows.age?.newerThan(seen.id) ?? newerThan(rows, since, rank);
		return {...window, newer, isNewerCut};
	};
}

/** Ranks rows by the order of `keys`, read at the first call. */
function placesIn(keys: () => readonly string[]): RankOf {
	let places: ReadonlyMap<string, number> | undefined;
	return id => {
		places ??= new Map(keys().map((key, index) => [key, index]));
		return places.get(id) ?? Number.NaN;
	};
}
