import {keptPosition, newerThan, type RankOf} from '../list/kept-place.ts';
import {windowOf, type ListPosition, type ListWindow, type RowList} from '../list/window.ts';

type Wanted<Item> = {
	/** The same value until the person moves, or filters otherwise. */
	readonly wish: {readonly position: ListPosition};
	/** All that the state has, in the order of the list. */
	readonly live: readonly Item[];
	readonly height: number;
};

/** Remembers where a person is in a list whose filter, or whose bound, takes rows away. */
export type Place<Item> = {
	/** What they see of `rows`. */
	window(rows: RowList, wanted: Wanted<Item>): ListWindow;
};

/** `rankOf`: see `ListOptions`. */
export function createPlace<Item>(
	keyOf: (item: Item) => string,
	rankOf: RankOf | undefined,
): Place<Item> {
	/** Where somebody is now who was at a row that is not there. What they left stays in the wish: another filter may let it pass. */
	let kept: {readonly wish: unknown; readonly position: ListPosition} | undefined;

	/** Where the person was, as long as that row is there or comes back: a filter that lets nothing pass for a moment, or a page that is read again, must not lose the place. */
	const placeOf = (wish: Wanted<Item>['wish'], rows: RowList): ListPosition => {
		const {cursor} = wish.position;
		const isThere = cursor !== undefined && rows.indexOf(cursor.id) !== -1;
		return kept?.wish === wish && !isThere ? kept.position : wish.position;
	};

	return {
		window(rows, {wish, live, height}) {
			const rank = rankOf ?? placesIn(() => live.map(keyOf));
			const position = keptPosition(rows, placeOf(wish, rows), {rankOf: rank, height});
			kept = {wish, position};
			const [oldest] = live;
			const from = oldest === undefined ? undefined : rank(keyOf(oldest));
			return counted(windowOf(rows, position, height), {rows, rankOf: rank, from});
		},
	};
}

/** Ranks by the order of `keys`; they are looked through when somebody asks. */
function placesIn(keys: () => readonly string[]): RankOf {
	let places: ReadonlyMap<string, number> | undefined;
	return id => {
		places ??= new Map(keys().map((key, index) => [key, index]));
		return places.get(id) ?? Number.NaN;
	};
}

/** What came since, also where the filter keeps out what was the newest then, or the state has let go of it: nothing from before `from` is known any more. */
function counted(
	window: ListWindow,
	{rows, rankOf, from}: {rows: RowList; rankOf: RankOf; from: number | undefined},
): ListWindow {
	const {follow, seen} = window.position;
	if (follow || !seen || rows.indexOf(seen.id) !== -1) {
		return window;
	}

	const rank = rankOf(seen.id);
	const isKnown = from === undefined || rank >= from;
	return {...window, newer: newerThan(rows, rank, rankOf), isNewerCut: !isKnown};
}
