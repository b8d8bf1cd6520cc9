import {stopAll} from '../../core/clock.ts';
import {createMemory} from '../../core/derive.ts';
import {type Filter, parseFilter, type Vocabulary} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import {createPlace, type RankOf} from '../list/kept-place.ts';
import {
	atNewest,
	type ListMove,
	type ListPosition,
	type ListWindow,
	moveIn,
	reversedMoves,
	type RowList,
	rowsOf,
} from '../list/window.ts';
import type {Feed} from './feed.ts';
import {type ListFacts, type ListHistory, type Listing, pagesAtStart} from './list-pages.ts';
import {newestOf} from './loaded-pages.ts';
import {pagesAtEnd} from './pages-at-end.ts';
import {createStore} from './store.ts';

/** A list's current view. */
type ListView<Item> = ListFacts & {
	/** The items that match the filter, oldest first; pinned ones come after the newest. */
	readonly items: readonly Item[];
	readonly window: ListWindow;
	readonly isFollowing: boolean;
	readonly filter: Filter<Item>;
	readonly filterText: string;
};

/** What keys can do with any list. */
export type AnyList = {
	readonly get: () => Omit<ListView<never>, 'items'> & {readonly items: readonly unknown[]};
	move(move: ListMove): void;
	/** Toggles following the newest item. */
	toggleFollow(): void;
	/** The key of the selected item; `undefined` if there is none. */
	selectedKey(): string | undefined;
	/** Selects the item with this key; `false` if the filter or the bound excludes it. */
	select(key: string): boolean;
	/** Like `select`, but also for an item only in the journal: its surroundings are loaded. */
	find(key: string): Promise<boolean>;
	setFilter(text: string): void;
	/** Stops querying the journal. */
	readonly end: () => void;
	readonly subscribe: (listener: () => void) => () => void;
};

export type List<Item> = Omit<AnyList, 'get'> & {
	/** The same object while nothing changed. */
	readonly get: () => ListView<Item>;
	selected(): Item | undefined;
	/**
	 * All items that match the filter, oldest first, at most the newest `most`; loads pages of the journal as needed. `isCut`: there are more. `undefined` if the
	 * filter changes meanwhile.
	 */
	all(
		most: number,
	): Promise<{readonly items: readonly Item[]; readonly isCut: boolean} | undefined>;
	/** The visible rows, in display order. */
	shown(): readonly Item[];
};

/** The options of a list. */
export type ListOptions<Item> = {
	/** Unique, and never changes for an item. */
	readonly keyOf: (item: Item) => string;
	readonly vocabulary: Vocabulary<Item>;
	/** The items in the gateway's state, oldest first; the same array while nothing changed. `isFiltered`: a filter will be applied to them. */
	readonly read: (state: GatewayState, asked: {readonly isFiltered: boolean}) => readonly Item[];
	/** The list's current height in rows. */
	readonly height: () => number;
	/** The rank of the item with a key among all items: a number that grows along the list; absent: by the state's order. */
	readonly rankOf?: RankOf;
	/** Shows the newest item at the top: the same list in reverse. */
	readonly newestFirst?: boolean;
	/** Pinned items, placed after the newest in their own order. */
	readonly isOnTop?: (item: Item) => boolean;
	/** The source of older items. */
	readonly history?: ListHistory<Item>;
	readonly filter?: string;
	readonly position?: ListPosition;
};

type Wish = {readonly position: ListPosition; readonly filterText: string};

/** A filtered, pausable, selectable view of one list of the gateway's state. */
export function createList<Item>(feed: Feed, options: ListOptions<Item>): List<Item> {
	const {keyOf, vocabulary, height, history, isOnTop, newestFirst = false} = options;
	const isOldestFirst = history?.olderAt === 'start';
	const filterText = options.filter ?? '';
	const store = createStore<Wish>({position: options.position ?? atNewest, filterText});
	let filter = parseFilter(filterText, vocabulary);
	const read = (state: GatewayState) => options.read(state, {isFiltered: !filter.isEmpty});
	const pages = history && pagesOf(history, {feed, read, keyOf});
	const rankOf = options.rankOf ?? (isOldestFirst ? history.cursorOf : undefined);
	const windowIn = createPlace(keyOf, rankOf);
	let remember = createMemory<{
		readonly view: ListView<Item>;
		readonly rows: RowList;
		/** The part in the journal's order, without pinned items. */
		readonly below: Pick<ListView<Item>, 'items' | 'window'>;
	}>();
	let live = read(feed.get().state);
	const ended = new AbortController();

	const current = () => {
		const [wish, rowsHigh, second] = [store.get(), height(), Math.floor(feed.get().now / 1000)];
		// A filter may depend on the current time, so with one the second is an input too.
		const inputs = [wish, read(feed.get().state), rowsHigh, filter, filter.isEmpty || second];
		return remember([...inputs, pages?.get()], () => lookAt(wish, rowsHigh));
	};

	const lookAt = (wish: Wish, rowsHigh: number) => {
		const {state, now} = feed.get();
		const all = read(state);
		const passing = filter.isEmpty ? all : all.filter(item => filter.matches(item, now));
		const inOrder = pages?.items(passing) ?? passing;
		const onTop = isOnTop && !pages?.isApart?.() ? passing.filter(isOnTop) : [];
		const rest = onTop.length === 0 ? inOrder : inOrder.filter(item => !isOnTop?.(item));
		const items = onTop.length === 0 ? inOrder : [...rest, ...onTop];
		const rows: RowList = {
			...rowsOf(items, keyOf),
			...(onTop.length > 0 && rankOf && {age: agesOf(items.map(keyOf), rankOf)}),
		};
		const shown = windowIn(rows, {wish, live: all, height: rowsHigh});
		const window = pages?.counted(passing, shown) ?? shown;
		const below = {
			items: rest,
			window: {
				...window,
				start: Math.min(window.start, rest.length),
				end: Math.min(window.end, rest.length),
				cursor: Math.min(window.cursor, rest.length - 1),
			},
		};
		const view = {
			total: all.length,
			isTotalCut: false,
			isWhole: true,
			...pages?.facts({...below, height: rowsHigh}),
			items,
			window,
			isFollowing: window.position.follow,
			filter,
			filterText: wish.filterText,
		};
		return {view, rows, below};
	};

	/** Loads the oldest items of the journal. If that fails, the title says why. */
	const toFirst = async (loading: Promise<boolean>) => {
		if (await loading) {
			const {seen} = current().view.window.position;
			store.set(wish => ({...wish, position: {follow: false, ...(seen && {seen})}}));
		}
	};

	/** Goes to the oldest item once all pages are loaded, unless the person has moved meanwhile. */
	const toLast = async (wish: Wish) => {
		if (await pages?.toOldest(() => store.get() === wish)) {
			step('last');
		}
	};

	/** Loads pages that the window comes near to. */
	const look = () => pages?.look(() => ({...current().below, height: height()}));

	const go = (move: ListMove) => {
		const wanted = newestFirst && typeof move === 'string' ? reversedMoves[move] : move;
		if (wanted === 'follow' || wanted === 'last') {
			pages?.toNewest();
		}

		const loading = isOldestFirst && wanted === 'first' ? pages?.toOldest() : undefined;
		if (loading) {
			void toFirst(loading);
			return;
		}

		step(wanted);
		if (!isOldestFirst && wanted === 'last') {
			void toLast(store.get());
		}
	};

	const step = (wanted: ListMove) => {
		const {view, rows} = current();
		const isAtNewest = view.window.cursor === view.items.length - 1;
		const position = moveIn(rows, view.window.position, {
			// Moving down from the newest row means to follow.
			move: wanted === 'down' && isAtNewest ? 'follow' : wanted,
			height: height(),
		});
		store.set(state => ({...state, position}));
		look();
	};

	pages?.begin(filter, filterText);
	/** A hidden list must not keep alive thousands of rows that the state has dropped. */
	const forget = () => {
		const next = read(feed.get().state);
		if (next !== live) {
			live = next;
			remember = createMemory();
		}
	};

	pages?.subscribe(look);
	feed.subscribe(forget);
	if (pages) {
		feed.subscribe(look);
	}

	const selected = () => current().view.items[current().view.window.cursor];

	return {
		get: () => current().view,
		selected,
		selectedKey() {
			const item = selected();
			return item === undefined ? undefined : keyOf(item);
		},
		shown() {
			const {view} = current();
			const shown = view.items.slice(view.window.start, view.window.end);
			return newestFirst ? shown.toReversed() : shown;
		},
		move: go,
		toggleFollow: () => go(current().view.isFollowing ? 'pause' : 'follow'),
		async all(most) {
			const {items: listed, filterText: asked} = current().view;
			const isWanted = () => store.get().filterText === asked;
			const wish = {filter: asked, most, keyOf, isWanted};
			const found = history ? await newestOf(history, wish, ended.signal) : new Map<string, Item>();
			if (!found) {
				return undefined;
			}

			// New items, and items that are not in the journal.
			const apart = found.size > most ? [] : listed.filter(item => !found.has(keyOf(item)));
			const items = [...[...found.values()].toReversed(), ...apart];
			return {items: items.slice(-most), isCut: items.length > most};
		},
		select(key) {
			const isThere = current().rows.indexOf(key) !== -1;
			if (isThere) {
				go({to: key});
			}

			return isThere;
		},
		async find(key) {
			return this.select(key) || ((await pages?.toKey(key)) === true && this.select(key));
		},
		setFilter(text) {
			filter = parseFilter(text, vocabulary);
			pages?.begin(filter, text);
			store.set(({position}) => ({position, filterText: text}));
			look();
		},
		end() {
			pages?.end();
			ended.abort();
		},
		subscribe: listener =>
			stopAll([store, feed, ...(pages ? [pages] : [])].map(one => one.subscribe(listener))),
	};
}

/** Which of `keys` is newest, and how many are newer than a given one, by rank. */
function agesOf(keys: readonly string[], rankOf: RankOf): NonNullable<RowList['age']> {
	const ranks = keys.map(rankOf);
	return {
		newest: ranks.indexOf(Math.max(...ranks)),
		newerThan(id) {
			const since = rankOf(id);
			return ranks.filter(rank => rank > since).length;
		},
	};
}

const pagesOf = <Item>(history: ListHistory<Item>, listing: Listing<Item>) =>
	history.olderAt === 'start' ? pagesAtStart(history, listing) : pagesAtEnd(history, listing);
