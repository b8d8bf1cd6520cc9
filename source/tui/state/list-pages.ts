import type {Filter} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import {newerThan} from '../list/kept-place.ts';
import {rowsOf, type ListWindow} from '../list/window.ts';
import type {Feed} from './feed.ts';
import {createLoadedPages, type PageSource, type LoadedPages} from './loaded-pages.ts';

/** The oldest rows stand at the beginning, all of them in the order of a cursor: a number that grows with the items. */
type OlderAtStart = {
	readonly olderAt: 'start';
	readonly cursorOf: (key: string) => number;
	/** From this cursor on the state has everything; `undefined` where it has nothing. */
	readonly wholeFrom: (state: GatewayState) => number | undefined;
	/** How many there are, as the journal counts; `undefined` where nothing was counted. */
	readonly total: (state: GatewayState) => number | undefined;
	/** When the item at a cursor came, as far as a cursor says. */
	readonly timeOf?: (cursor: number) => number;
};

/** The oldest rows stand at the end, below what waits, in an order of their own: the journal answers with items that the state has, too. */
type OlderAtEnd<Item> = {
	readonly olderAt: 'end';
	/** Whether the state holds as many as it may: there may be older ones. */
	readonly isCut: (state: GatewayState) => boolean;
	/** Whether the journal answers with it, too. */
	readonly isDone: (item: Item) => boolean;
	/** The items of the list: `live` from the state, `older` from the journal alone; no item is in both. */
	readonly join: (live: readonly Item[], older: readonly Item[]) => readonly Item[];
};

/** Where a list has what the state does not hold, and where that stands. */
export type ListHistory<Item> = PageSource<Item> &
	(OlderAtStart | OlderAtEnd<Item>) & {
		/** Whether the list is on the screen: nothing is asked for one that is hidden. */
		readonly isShown: () => boolean;
	};

/** Facts about items that a list does not show. */
export type ListFacts = {
	/** Items before the filter. */
	readonly total: number;
	/** There may be more than `total`. */
	readonly isTotalCut: boolean;
	/** Everything was looked at: nothing else passes the filter. */
	readonly isWhole: boolean;
	/** How far back the journal was searched, where that is to be said. */
	readonly searched?: {
		readonly at?: number | undefined;
		/** Rows that were looked at. */
		readonly rows: number;
		readonly isWhole: boolean;
		readonly problem?: string | undefined;
		/** No more than these of the journal are listed, the newest. */
		readonly most?: number;
	};
};

type Shown<Item> = {
	readonly items: readonly Item[];
	readonly window: ListWindow;
	readonly height: number;
};

/** The journal's part of one list: what it adds to the items of the state, and when it is asked for more. */
export type ListPages<Item> = Pick<LoadedPages<Item>, 'get' | 'subscribe' | 'end'> & {
	/** For another filter. */
	begin(filter: Filter<Item>, text: string): void;
	/** What the list has: of the items of the state those that `passing` has. */
	items(passing: readonly Item[]): readonly Item[];
	/** Whether there is a gap between the listed items and those of the state; absent: never. */
	isApart?(): boolean;
	/** The window with what came since, also where the newest is not among the items; and whether there may be more. */
	counted(passing: readonly Item[], window: ListWindow): ListWindow;
	/** Facts about all items; a window near the end is up to date with new ones. */
	facts(shown: Shown<Item>): ListFacts;
	/** Asks for what the window comes near to, if the list is on the screen. */
	look(shown: () => Shown<Item>): void;
	/** Lets go of what lies apart from the newest. */
	toNewest(): void;
	/** Loads the oldest, while `isWanted`; `undefined` where they are there, else whether they are. */
	toOldest(isWanted?: () => boolean): Promise<boolean> | undefined;
	/** Loads what lies around an item; `false` where that cannot be. */
	toKey(key: string): Promise<boolean>;
};

/** The items of the state, and what each is known by. */
export type Listing<Item> = {
	readonly feed: Pick<Feed, 'get'>;
	readonly read: (state: GatewayState) => readonly Item[];
	readonly keyOf: (item: Item) => string;
};

/** How many windows ahead a page is asked for. */
const ahead = 2;

export const rowsToPrefetch = (height: number): number => ahead * Math.max(1, height);

/** The pages of a list whose oldest rows stand at the beginning. */
export function pagesAtStart<Item>(
	history: Extract<ListHistory<Item>, {olderAt: 'start'}>,
	{feed, read, keyOf}: Listing<Item>,
): ListPages<Item> {
	const loaded = createLoadedPages(history, keyOf, history.cursorOf);
	let asked: {readonly text: string; readonly readsBody: boolean} = {text: '', readsBody: false};
	/** From this cursor on the items of the state stand in the list, where nothing lies between. */
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

	/** Bodies are the journal's alone: a filter that reads them is asked of it from the newest on. */
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

	/** The items from a cursor on; the same array where that is all. */
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

			// What became of an old one since is in the state.
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

			// The rows of the state stand apart; those between are not counted.
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
							// What the state has of before, and with a filter that reads bodies all of it, is looked at in the journal.
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
