import {windowOf, type ListPosition, type RowList} from './window.ts';

/** Where a row stands among all, those that a filter keeps out included: a number that grows along the list, also of a row that is gone; `NaN` where nobody knows. */
export type RankOf = (id: string) => number;

/**
 * `position` with the nearest row in the place of a selected one that is not among `rows`, as far down the screen as that stood. To be kept: whoever looks again by an index alone sees
 * another row with each that comes. The same position where nothing is missing. Pure.
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

/** How many rows, from the newest on, stand above `rank`; all of them where that is `NaN`. Pure. */
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
