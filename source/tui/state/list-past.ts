import type {Filter} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import {newerThan} from '../list/kept-place.ts';
import {rowsOf, type ListWindow} from '../list/window.ts';
import {
	createLoadedHistory,
	type ListHistory,
	type LoadedHistory,
	type Stretch,
} from './list-history.ts';

type Looked<Item> = {
	readonly filter: Filter<Item>;
	readonly text: string;
	readonly view: {readonly items: readonly Item[]; readonly window: ListWindow};
	readonly height: number;
};

type Own<Item> = {readonly passing: readonly Item[]; readonly readsBody: boolean};

/** The journal's part of one list: what it adds to the items of the state, and when it is asked for more. */
export type Past<Item> = Pick<LoadedHistory<Item>, 'get' | 'subscribe' | 'jump' | 'end'> & {
	/** For another filter. Bodies are the journal's alone: a filter that reads them is asked of it from the newest on. */
	begin(state: GatewayState, readsBody: boolean): void;
	/** What the list has: of the items of the state those that `passing` has. */
	items(state: GatewayState, own: Own<Item>): readonly Item[];
	/** The window with what came since, also where the newest is not among the items; and whether there may be more. */
	counted(state: GatewayState, window: ListWindow, own: Own<Item>): ListWindow;
	/** How far the journal was searched; `undefined` while nothing was. */
	searched(state: GatewayState):
		| {
				readonly at: number | undefined;
				readonly rows: number;
				readonly isWhole: boolean;
				readonly problem?: string | undefined;
		  }
		| undefined;
	/** Whether nothing else passes the filter. `below`: items under the window; what comes is looked at as it comes where that is near. */
	isWhole(
		state: GatewayState,
		looked: {readonly readsBody: boolean; readonly below: number; readonly height: number},
	): boolean;
	hasOlder(state: GatewayState): boolean;
	/** Lets go of what lies apart from the newest. */
	toNewest(state: GatewayState, readsBody: boolean): void;
	/** Asks for what the window comes near to. */
	look(state: GatewayState, looked: Looked<Item>): void;
};

/** How many windows ahead a page is asked for. */
const ahead = 2;

const nearRows = (height: number): number => ahead * Math.max(1, height);

export function createPast<Item>(
	history: ListHistory<Item> & {readonly read: (state: GatewayState) => readonly Item[]},
	keyOf: (item: Item) => string,
): Past<Item> {
	const loaded = createLoadedHistory(history, keyOf);
	/** From this cursor on the items of the state stand in the list, where nothing lies between. */
	let joinAt: number | undefined;
	const cursorOf = (item: Item | undefined) =>
		item === undefined ? undefined : history.cursorOf(keyOf(item));

	const newestOf = (state: GatewayState) => cursorOf(history.read(state).at(-1));

	const isUntouched = ({items, scanned, isOldest, problem}: Stretch<Item>) =>
		items.length === 0 &&
		scanned === 0 &&
		!isOldest &&
		problem === undefined &&
		!loaded.isLoading();

	const begin: Past<Item>['begin'] = (state, readsBody) => {
		const newest = readsBody ? newestOf(state) : undefined;
		joinAt = readsBody ? undefined : history.wholeFrom(state);
		loaded.reset(
			readsBody
				? {low: newest === undefined ? undefined : newest + 1, high: newest ?? 0}
				: {low: joinAt, high: undefined},
		);
	};

	return {
		get: loaded.get,
		subscribe: loaded.subscribe,
		jump: loaded.jump,
		end: loaded.end,
		begin,
		items(state, {passing, readsBody}) {
			const {items, high} = loaded.get();
			if (items.length > 0) {
				// What became of an old one since is in the state.
				const fresh = new Map(passing.map(item => [keyOf(item), item]));
				const older = items.map(item => fresh.get(keyOf(item)) ?? item);
				return high !== undefined || readsBody ? older : [...older, ...from(passing, joinAt)];
			}

			if (high !== undefined || readsBody) {
				return items;
			}

			return from(passing, history.total(state) === undefined ? undefined : joinAt);
		},
		counted(state, window, {passing, readsBody}) {
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

			// What the state has of it stands apart; what lies between, nobody has counted.
			const known = Math.max(since, high);
			const apart = readsBody ? 0 : newerThan(rowsOf(passing, keyOf), known, history.cursorOf);
			const least = readsBody ? (newestOf(state) ?? 0) : (history.wholeFrom(state) ?? 0) - 1;
			return {...window, newer: window.newer + apart, isNewerCut: isBelow || known < least};
		},
		searched(state) {
			const stretch = loaded.get();
			return history.total(state) === undefined || isUntouched(stretch)
				? undefined
				: {
						at: stretch.low === undefined ? undefined : history.timeOf?.(stretch.low),
						rows: stretch.scanned + (stretch.high === undefined ? history.read(state).length : 0),
						isWhole: stretch.isOldest,
						problem: stretch.problem,
					};
		},
		isWhole(state, {readsBody, below, height}) {
			if (!hasMore(state)) {
				return !readsBody || history.total(state) !== undefined;
			}

			const {isOldest, high} = loaded.get();
			const isFollowed = (newestOf(state) ?? 0) <= (high ?? 0) || below < nearRows(height);
			return isOldest && (high === undefined || (readsBody && isFollowed));
		},
		hasOlder: state => hasMore(state) && !loaded.get().isOldest,
		toNewest(state, readsBody) {
			if (loaded.get().high !== undefined && !readsBody) {
				begin(state, readsBody);
			}
		},
		look(state, {filter, text, view, height}) {
			if (!hasMore(state)) {
				return;
			}

			const floor = history.wholeFrom(state);
			const stretch = loaded.get();
			const isJoined = stretch.high === undefined;
			if (isJoined && floor !== joinAt && joinAt !== undefined) {
				// The state has let go of what followed: either what is loaded goes, or the way to it.
				const selected = cursorOf(view.items[view.window.cursor]);
				if (isUntouched(stretch) || selected === undefined || selected >= joinAt) {
					begin(state, filter.readsBody);
				} else {
					loaded.detach(joinAt - 1);
				}
			} else if (isJoined && isUntouched(stretch) && floor !== joinAt) {
				begin(state, filter.readsBody);
			}

			const {isOldest, high} = loaded.get();
			const near = nearRows(height);
			if (!isOldest && view.window.start < near) {
				loaded.load('back', text, {});
			} else if (high !== undefined && view.items.length - view.window.end < near) {
				joinAt = filter.readsBody ? undefined : floor;
				const newest = newestOf(state);
				if (!filter.readsBody || (newest !== undefined && newest > high)) {
					loaded.load('forth', text, {joinAt, newest});
				}
			}
		},
	};

	function hasMore(state: GatewayState): boolean {
		const total = history.total(state);
		return (
			total !== undefined && (total > history.read(state).length || loaded.get().high !== undefined)
		);
	}

	/** The items from a cursor on; the same array where that is all. */
	function from(items: readonly Item[], cursor: number | undefined): readonly Item[] {
		const first =
			cursor === undefined ? 0 : items.findIndex(item => (cursorOf(item) ?? 0) >= cursor);
		return first <= 0 ? (first === 0 ? items : []) : items.slice(first);
	}
}
