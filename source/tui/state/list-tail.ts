import {messageOf} from '../../core/errors.ts';
import type {GatewayState} from '../../core/state.ts';
import type {HistoryQuestion, ListHistory} from './list-history.ts';
import {createStore, type ValueStore} from './store.ts';

/** Where a list whose newest rows stand above, below what waits, has the rest of what is done. */
export type ListOlder<Item> = {
	/** The answer has its newest first. */
	readonly ask: (question: HistoryQuestion) => ReturnType<ListHistory<Item>['ask']>;
	/** Whether anybody sees the list: nothing is asked for one that is hidden. */
	readonly isShown: () => boolean;
	/** Whether the state holds as many as it may: there may be older ones. */
	readonly isCut: (state: GatewayState) => boolean;
	/** Whether the journal answers with it, too. */
	readonly isDone: (item: Item) => boolean;
	/** What the list shows: `live` is of the state, `older` what it has no more; no item is in both. */
	readonly join: (live: readonly Item[], older: readonly Item[]) => readonly Item[];
};

/** How far back the journal was searched. */
export type Searched = {
	readonly at: number | undefined;
	readonly rows: number;
	readonly isWhole: boolean;
	readonly problem?: string | undefined;
	/** No more than these of the journal are listed, the newest. */
	readonly most?: number;
};

/** What was read of the journal, from the newest on. */
type Loaded<Item> = {
	/** By their keys. */
	readonly items: ReadonlyMap<string, Item>;
	/** What is older is asked for below this; `undefined` before the first question. */
	readonly low: number | undefined;
	/** Nothing is older, or as much is kept as may be. */
	readonly isOver: boolean;
	/** Rows that were looked at. */
	readonly scanned: number;
	/** Why nothing more is asked. */
	readonly problem?: string;
};

/** Items that are kept: the journal keeps no more settled approvals, and a filter leads to older groups. */
const maxKept = 5000;

const pageItems = 200;

/** How many windows ahead a page is asked for. */
const ahead = 2;

export type Tail<Item> = Pick<ValueStore<Loaded<Item>>, 'get' | 'subscribe'> & {
	/** For another filter. */
	reset(): void;
	/** Takes what the state has let go of since the last call; `live` is all that it has. */
	follow(live: readonly Item[]): void;
	/** Asks for one page after the other, while somebody sees the list and `isWanted` says so. */
	loadAll(filter: string, isWanted: () => boolean): Promise<void>;
	/** Asks for the next page, unless one is asked for, if somebody comes near to the end: `below` items are under the window. */
	look(
		state: GatewayState,
		filter: string,
		window: {readonly below: number; readonly height: number},
	): void;
	/** `passing`, what passes the filter of the state's `live`, with those that the state has no more. */
	items(
		live: readonly Item[],
		passing: readonly Item[],
		matches: (item: Item) => boolean,
	): readonly Item[];
	/** Why nothing more is asked, if so. */
	searched(): Searched | undefined;
};

/** Pages of the journal at the end of a list; one question at a time, late answers are dropped. */
export function createTail<Item>(
	{ask, isDone, isShown, isCut, join}: ListOlder<Item>,
	keyOf: (item: Item) => string,
): Tail<Item> {
	const nothing: Loaded<Item> = {items: new Map(), low: undefined, isOver: false, scanned: 0};
	const store = createStore<Loaded<Item>>(nothing);
	let generation = 0;
	let loading: Promise<void> | undefined;
	let last: readonly Item[] = [];

	const reset = () => {
		generation += 1;
		loading = undefined;
		store.set(() => nothing);
	};

	const ended = (loaded: Loaded<Item>): Loaded<Item> =>
		loaded.items.size < maxKept ? loaded : {...loaded, isOver: true};

	const page = async (filter: string) => {
		const asked = generation;
		const {low} = store.get();
		try {
			const {items, searchedTo, scanned} = await ask({
				filter,
				limit: pageItems,
				...(low !== undefined && {before: low}),
			});
			if (asked === generation) {
				loading = undefined;
				store.set(loaded =>
					ended({
						items: new Map([...loaded.items, ...items.map(item => [keyOf(item), item] as const)]),
						low: searchedTo ?? 0,
						isOver: searchedTo === undefined,
						scanned: loaded.scanned + scanned,
					}),
				);
			}
		} catch (error) {
			if (asked === generation) {
				loading = undefined;
				store.set(loaded => ({...loaded, problem: messageOf(error)}));
			}
		}
	};

	const isOpen = () => !store.get().isOver && store.get().problem === undefined;

	const load = async (filter: string) => {
		if (isOpen()) {
			loading ??= page(filter);
			await loading;
		}
	};

	return {
		get: store.get,
		subscribe: store.subscribe,
		reset,
		follow(live) {
			const before = last;
			last = live;
			if (before === live || (loading === undefined && store.get().low === undefined)) {
				return;
			}

			const now = new Set(live.map(keyOf));
			const done = before.filter(isDone);
			const gone = done.filter(item => !now.has(keyOf(item)));
			if (gone.length === 0) {
				return;
			}

			// More than the state holds came at once, or more than is kept: what lies between is read anew.
			if (gone.length === done.length || store.get().items.size > maxKept) {
				reset();
				return;
			}

			store.set(loaded => ({
				...loaded,
				items: new Map([...loaded.items, ...gone.map(item => [keyOf(item), item] as const)]),
			}));
		},
		async loadAll(filter, isWanted) {
			while (isOpen() && isShown() && isWanted()) {
				// oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ended
				await load(filter);
			}
		},
		look(state, filter, {below, height}) {
			if (isShown() && isCut(state) && below < ahead * Math.max(1, height)) {
				void load(filter);
			}
		},
		items(live, passing, matches) {
			const {items} = store.get();
			if (items.size === 0) {
				return passing;
			}

			const known = new Set(live.map(keyOf));
			const gone = [...items].filter(([key, item]) => !known.has(key) && matches(item));
			return join(
				passing,
				gone.map(([, item]) => item),
			);
		},
		searched() {
			const {problem, scanned: rows, items} = store.get();
			const isFull = items.size >= maxKept;
			return problem === undefined && !isFull
				? undefined
				: {at: undefined, rows, isWhole: false, problem, ...(isFull && {most: maxKept})};
		},
	};
}
