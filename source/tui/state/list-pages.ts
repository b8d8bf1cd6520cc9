import type {Filter} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import {newerThan} from '../list/kept-place.ts';
import {rowsOf, type ListWindow} from '../list/window.ts';
import type {Feed} from './feed.ts';
import {createLoadedPages, type PageSource, type LoadedPages} from './loaded-pages.ts';

/** For lists with the oldest rows at the beginning, ordered by a cursor: a number that grows with the items. */
type OlderAtStart = {
	readonly olderAt: 'start';
	readonly cursorOf: (key: string) => number;
	/** The state is complete from this cursor on; `undefined` if it is empty. */
	readonly wholeFrom: (state: GatewayState) => number | undefined;
	/** The number of items in the journal; `undefined` if not counted. */
	readonly total: (state: GatewayState) => number | undefined;
	/** The time of the item at a cursor, if cursors contain one. */
	readonly timeOf?: (cursor: number) => number;
};

/** For lists with the oldest rows at the end, below waiting items, in an order of their own. The journal's answers can repeat items of the state. */
type OlderAtEnd<Item> = {
	readonly olderAt: 'end';
	/** Whether the state is full, so that there may be older items. */
	readonly isCut: (state: GatewayState) => boolean;
	/** Whether the journal contains the item too. */
	readonly isDone: (item: Item) => boolean;
	/** Joins the items of the state (`live`) and those only in the journal (`older`), which are disjoint. */
	readonly join: (live: readonly Item[], older: readonly Item[]) => readonly Item[];
};

/** Where a list finds items that the state does not hold, and where it places them. */
export type ListHistory<Item> = PageSource<Item> &
	(OlderAtStart | OlderAtEnd<Item>) & {
		/** Whether the list is on the screen: a hidden one queries nothing. */
		readonly isShown: () => boolean;
	};

/** Facts about a list beyond its visible items. */
export type ListFacts = {
	/** The number of items before filtering. */
	readonly total: number;
	/** `total` is a lower bound. */
	readonly isTotalCut: boolean;
	/** Everything was searched: no other item matches the filter. */
	readonly isWhole: boolean;
	/** How far back the journal was searched, if worth showing. */
	readonly searched?: {
		readonly at?: number | undefined;
		/** How many rows were searched. */
		readonly rows: number;
		readonly isWhole: boolean;
		readonly problem?: string | undefined;
		/** Only this many items of the journal are listed, the newest. */
		readonly most?: number;
	};
};

type Shown<Item> = {
	readonly items: readonly Item[];
	readonly window: ListWindow;
	readonly height: number;
};

/** The journal's part of a list: the items it adds to those of the state, and when to load more. */
export type ListPages<Item> = Pick<LoadedPages<Item>, 'get' | 'subscribe' | 'end'> & {
	/** Starts over with another filter. */
	begin(filter: Filter<Item>, text: string): void;
	/** The list's items; of the state's items only those in `passing`. */
	items(passing: readonly Item[]): readonly Item[];
	/** Whether there is a gap between the loaded items and those of the state; absent: never. */
	isApart?(): boolean;
	/** The window with the number of newer items, even if the newest is not loaded; and whether that is a lower bound. */
	counted(passing: readonly Item[], window: ListWindow): ListWindow;
	/** Facts about all items. A window near the end counts as up to date. */
	facts(shown: Shown<Item>): ListFacts;
	/** Loads pages that the window comes near to, if the list is on the screen. */
	look(shown: () => Shown<Item>): void;
	/** Drops pages that are not contiguous with the newest items. */
	toNewest(): void;
	/** Loads the oldest items while `isWanted`; `undefined` if they are loaded already, else resolves to whether they are. */
	toOldest(isWanted?: () => boolean): Promise<boolean> | undefined;
	/** Loads the surroundings of an item; `false` if impossible. */
	toKey(key: string): Promise<boolean>;
};

/** How to read the items of the state, and the key of each. */
export type Listing<Item> = {
	readonly feed: Pick<Feed, 'get'>;
	readonly read: (state: GatewayState) => readonly Item[];
	readonly keyOf: (item: Item) => string;
};

/** How many window heights before the end of the loaded rows a page is requested. */
const ahead = 2;

export const rowsToPrefetch = (height: number): number => ahead * Math.max(1, height);

/** Pages of a list with its oldest rows at the beginning. */
export function pagesAtStart<Item>(
	history: Extract<ListHistory<Item>, {olderAt: 'start'}>,
	{feed, read, keyOf}: Listing<Item>,
): ListPages<Item> {
	const loaded = createLoadedPages(history, keyOf, history.cursorOf);
	let asked: {readonly text: string; readonly readsBody: boolean} = {text: '', readsBody: false};
	/** The list takes the state's items from this cursor on, if there is no gap. */
	let joinAt: number | undefined;

	const stateNow = () => feed.get().state;
	const total = () => history.total(stateNow());
	const floor = () => history.wholeFrom(stateNow());
	const cursorOf = (item: Item | undefined) =>
		item === undefined ? undefined : history.cursorOf(keyOf(item));
	const newest = () => cursorOf(read(stateNow()).at(-1));
	const hasMore = () =>
		(total() ?? 0) > read(stateNow()).length ||
		(total() !== undefined && loaded.get().high !== undefined);

	const isUntouched = () => {
		const {items, scanned, isOldest, problem} = loaded.get();
		const isNew = items.length === 0 && scanned === 0 && !isOldest && problem === undefined;
		return isNew && !loaded.isLoading();
	};

	/** Only the journal holds bodies, so a filter that reads them is sent to it from the newest item on. */
	const restart = () => {
		const last = asked.readsBody ? newest() : undefined;
		joinAt = asked.readsBody ? undefined : floor();
		loaded.reset(
			asked.readsBody
				? {low: last === undefined ? undefined : last + 1, high: last ?? 0}
				: {low: joinAt},
		);
	};

	/** The state dropped the items after the loaded ones: either reload, or leave a gap. */
	const rejoin = (selected: number | undefined) => {
		if (loaded.get().high !== undefined || floor() === joinAt) {
			return;
		}

		if (isUntouched() || (joinAt !== undefined && (selected ?? joinAt) >= joinAt)) {
			restart();
		} else if (joinAt !== undefined) {
			const high = joinAt - 1;
			loaded.set(stretch => ({...stretch, high}));
		}
	};

	/** There is a gap between the listed items and those of the state. */
	const isApart = () => loaded.get().high !== undefined || asked.readsBody;

	/** The items from a cursor on; the same array if those are all. */
	const from = (items: readonly Item[], cursor: number | undefined): readonly Item[] => {
		const first =
			cursor === undefined ? 0 : items.findIndex(item => (cursorOf(item) ?? 0) >= cursor);
		return first <= 0 ? (first === 0 ? items : []) : items.slice(first);
	};

	return {
		...loaded,
		begin({readsBody}, text) {
			asked = {text, readsBody};
			restart();
		},
		items(passing) {
			const {items} = loaded.get();
			if (items.length === 0) {
				return isApart() ? items : from(passing, total() === undefined ? undefined : joinAt);
			}

			// The state has the current version of old items.
			const fresh = new Map(passing.map(item => [keyOf(item), item]));
			const older = items.map(item => fresh.get(keyOf(item)) ?? item);
			return isApart() ? older : [...older, ...from(passing, joinAt)];
		},
		isApart,
		counted(passing, window) {
			const {follow, seen} = window.position;
			if (follow || !seen) {
				return window;
			}

			const since = history.cursorOf(seen.id);
			const {low = joinAt ?? 0, high, isOldest} = loaded.get();
			const isBelow = !isOldest && since + 1 < low;
			if (high === undefined) {
				return {...window, isNewerCut: isBelow};
			}

			// The state's rows are behind a gap, and the rows in the gap are not counted.
			const {readsBody} = asked;
			const known = Math.max(since, high);
			const apart = readsBody ? 0 : newerThan(rowsOf(passing, keyOf), known, history.cursorOf);
			const least = readsBody ? (newest() ?? 0) : (floor() ?? 0) - 1;
			return {...window, newer: window.newer + apart, isNewerCut: isBelow || known < least};
		},
		facts({items, window, height}) {
			const {low, high, scanned, isOldest, problem} = loaded.get();
			const live = read(stateNow()).length;
			const isNear = items.length - window.end < rowsToPrefetch(height);
			const isFollowed = asked.readsBody && ((newest() ?? 0) <= (high ?? 0) || isNear);
			return {
				total: Math.max(live, total() ?? 0),
				isTotalCut: false,
				isWhole: hasMore()
					? isOldest && (high === undefined || isFollowed)
					: !asked.readsBody || total() !== undefined,
				...(total() !== undefined &&
					!isUntouched() && {
						searched: {
							at: low === undefined ? undefined : history.timeOf?.(low),
							// The journal also searches items that the state held before, and with a filter on bodies all of the state's.
							rows: scanned + (isApart() ? 0 : from(read(stateNow()), joinAt).length),
							isWhole: isOldest,
							problem,
						},
					}),
			};
		},
		look(shown) {
			if (!history.isShown() || !hasMore()) {
				return;
			}

			const {items, window, height} = shown();
			rejoin(cursorOf(items[window.cursor]));
			const {isOldest, high} = loaded.get();
			const near = rowsToPrefetch(height);
			if (!isOldest && window.start < near) {
				void loaded.load('back', asked.text);
			} else if (high !== undefined && items.length - window.end < near) {
				joinAt = asked.readsBody ? undefined : floor();
				const last = newest();
				if (!asked.readsBody || (last !== undefined && last > high)) {
					void loaded.load('forth', asked.text, {joinAt, newest: last});
				}
			}
		},
		toNewest() {
			if (loaded.get().high !== undefined && !asked.readsBody) {
				restart();
			}
		},
		toOldest: () =>
			hasMore() && !loaded.get().isOldest ? loaded.jump('oldest', asked.text) : undefined,
		async toKey(key) {
			const around = history.cursorOf(key);
			return (
				total() !== undefined && Number.isSafeInteger(around) && loaded.jump({around}, asked.text)
			);
		},
	};
}
