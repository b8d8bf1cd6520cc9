import {parseFilter, type Filter} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import {
	atNewest,
	moveIn,
	reversedMoves,
	rowsOf,
	type ListMove,
	type ListPosition,
	type RowList,
	type ListWindow,
} from '../list/window.ts';
import type {Feed} from './feed.ts';
import type {ListOptions} from './list-options.ts';
import {createPast, type Past} from './list-past.ts';
import {createPlace} from './list-place.ts';
import {createTail, type Searched} from './list-tail.ts';
import {createStore} from './store.ts';

/** A list as it is shown now. */
export type ListView<Item> = {
	/** What passes the filter, oldest first. */
	readonly items: readonly Item[];
	readonly window: ListWindow;
	/** Items before the filter. */
	readonly total: number;
	readonly isFollowing: boolean;
	readonly filter: Filter<Item>;
	readonly filterText: string;
	/** There may be more than `total`. */
	readonly isTotalCut: boolean;
	/** Everything was looked at: nothing else passes the filter. */
	readonly isWhole: boolean;
	/** How far back the journal was searched; absent where the state has everything. */
	readonly searched?: Searched;
};

/** What keys do with any list, whatever is in it. */
export type AnyList = {
	readonly get: () => Omit<ListView<never>, 'items'> & {readonly items: readonly unknown[]};
	move(move: ListMove): void;
	/** Follows the newest, or stays where it is. */
	toggleFollow(): void;
	/** Of the selected item; `undefined` where there is none. */
	selectedKey(): string | undefined;
	/** Selects the item with this key; `false` when the filter or the bound keeps it out. */
	select(key: string): boolean;
	/** The same, also of an item that only the journal has: what lies around it is loaded. */
	find(key: string): Promise<boolean>;
	setFilter(text: string): void;
	/** Asks the journal nothing more. */
	readonly end: () => void;
	readonly subscribe: (listener: () => void) => () => void;
};

export type List<Item> = Omit<AnyList, 'get'> & {
	/** The same object while nothing changed. */
	readonly get: () => ListView<Item>;
	selected(): Item | undefined;
	/** The rows in the window, in the order of the screen. */
	shown(): readonly Item[];
};

type Wish = {readonly position: ListPosition; readonly filterText: string};

/** A filtered, pausable, selectable view of one list of the gateway's state. */
export function createList<Item>(feed: Feed, options: ListOptions<Item>): List<Item> {
	const {keyOf, vocabulary, read, height, newestFirst = false} = options;
	const past = options.history && createPast({...options.history, read}, keyOf);
	const tail = options.older && createTail(options.older, keyOf);
	const filterText = options.filter ?? '';
	const store = createStore<Wish>({position: options.position ?? atNewest, filterText});
	let typed = filterText;
	let filter = parseFilter(filterText, vocabulary);
	const place = createPlace(keyOf, options.rankOf ?? options.history?.cursorOf);
	let last: (Inputs<Item> & {readonly view: ListView<Item>; readonly rows: RowList}) | undefined;

	const current = () => {
		const {state, now} = feed.get();
		const inputs = {
			wish: store.get(),
			live: read(state),
			height: height(),
			filter,
			second: Math.floor(now / 1000),
			stretch: past?.get() ?? tail?.get(),
		};
		if (last && isSame(last, inputs)) {
			return last;
		}

		const passing = filter.isEmpty
			? inputs.live
			: inputs.live.filter(item => filter.matches(item, now));
		const items = past
			? past.items(state, {passing, readsBody: filter.readsBody})
			: (tail?.items(inputs.live, passing, item => filter.matches(item, now)) ?? passing);
		const rows = rowsOf(items, keyOf);
		const shown = place.window(rows, {
			wish: inputs.wish,
			live: inputs.live,
			height: inputs.height,
		});
		const window = past
			? past.counted(state, shown, {passing, readsBody: filter.readsBody})
			: shown;
		const searched = past ? past.searched(state) : tail?.searched();
		const view = {
			items,
			window,
			total: Math.max(
				inputs.live.length,
				options.history?.total(state) ?? 0,
				tail ? Math.max(items.length, tail.get().scanned) : 0,
			),
			isWhole: isWhole(state, items.length - window.end),
			isTotalCut: tail?.isWhole(state) === false,
			...(searched && {searched}),
			isFollowing: window.position.follow,
			filter,
			filterText: inputs.wish.filterText,
		};
		last = {...inputs, view, rows};
		return last;
	};

	const isWhole = (state: GatewayState, below: number): boolean =>
		past?.isWhole(state, {readsBody: filter.readsBody, below, height: height()}) ??
		tail?.isWhole(state) ??
		true;

	/** The oldest, when all pages are there and nobody has moved meanwhile. */
	const toOldest = async (wish: Wish) => {
		await tail?.loadAll(typed, () => store.get() === wish);
		if (store.get() === wish) {
			step('last');
		}
	};

	/** The oldest that the journal has. Where it cannot be read, the title says why. */
	const toFirst = async ({jump}: Past<Item>) => {
		if (await jump('oldest', store.get().filterText)) {
			const {seen} = current().view.window.position;
			store.set(wish => ({...wish, position: {follow: false, ...(seen && {seen})}}));
		}
	};

	/** Asks for what somebody comes near to. */
	const look = () => {
		if (tail) {
			const {state} = feed.get();
			tail.follow(read(state));
			const {items, window} = current().view;
			tail.look(state, typed, {below: items.length - window.end, height: height()});
		}

		if (past && options.history?.isShown()) {
			const {view} = current();
			past.look(feed.get().state, {filter, text: typed, view, height: height()});
		}
	};

	const go = (move: ListMove) => {
		const wanted = newestFirst && typeof move === 'string' ? reversedMoves[move] : move;
		if (wanted === 'follow' || wanted === 'last') {
			past?.toNewest(feed.get().state, filter.readsBody);
		} else if (wanted === 'first' && past?.hasOlder(feed.get().state)) {
			void toFirst(past);
			return;
		}

		step(wanted);
		if (wanted === 'last' && options.older?.isCut(feed.get().state)) {
			void toOldest(store.get());
		}
	};

	const step = (wanted: ListMove) => {
		const {view, rows} = current();
		const isAtNewest = view.window.cursor === view.items.length - 1;
		const position = moveIn(rows, view.window.position, {
			// One step beyond the newest row is how a person asks for what comes next.
			move: wanted === 'down' && isAtNewest ? 'follow' : wanted,
			height: height(),
		});
		store.set(state => ({...state, position}));
		look();
	};

	past?.begin(feed.get().state, filter.readsBody);
	/** What a hidden list showed last is thousands of rows that nobody else has any more. */
	const forget = () => {
		last = last?.live === read(feed.get().state) ? last : undefined;
	};

	past?.subscribe(look);
	tail?.subscribe(look);
	feed.subscribe(forget);
	if (past || tail) {
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
		toggleFollow() {
			go(current().view.isFollowing ? 'pause' : 'follow');
		},
		select(key) {
			const isThere = current().rows.indexOf(key) !== -1;
			if (isThere) {
				go({to: key});
			}

			return isThere;
		},
		async find(key) {
			if (this.select(key)) {
				return true;
			}

			const around = options.history?.cursorOf(key) ?? Number.NaN;
			const isKnown = past !== undefined && options.history?.total(feed.get().state) !== undefined;
			if (!isKnown || !Number.isSafeInteger(around)) {
				return false;
			}

			const isLoaded = await past.jump({around}, store.get().filterText);
			return isLoaded && this.select(key);
		},
		setFilter(text) {
			typed = text;
			filter = parseFilter(text, vocabulary);
			past?.begin(feed.get().state, filter.readsBody);
			tail?.reset();
			store.set(({position}) => ({position, filterText: text}));
			look();
		},
		end() {
			past?.end();
			tail?.end();
		},
		subscribe(listener) {
			const stops = [store, feed, ...(past ? [past] : []), ...(tail ? [tail] : [])].map(one =>
				one.subscribe(listener),
			);
			return () => {
				for (const stop of stops) {
					stop();
				}
			};
		},
	};
}

type Inputs<Item> = {
	readonly wish: Wish;
	readonly live: readonly Item[];
	readonly height: number;
	readonly filter: Filter<Item>;
	readonly second: number;
	readonly stretch: unknown;
};

/** A filter may be relative to the present, so the second is part of the question; without a filter, only the data is. */
const isSame = <Item>(last: Inputs<Item>, next: Inputs<Item>): boolean =>
	last.wish === next.wish &&
	last.live === next.live &&
	last.height === next.height &&
	last.filter === next.filter &&
	last.stretch === next.stretch &&
	(next.filter.isEmpty || last.second === next.second);
