import type {Clock} from '../../core/clock.ts';
import type {GatewayState} from '../../core/state.ts';
import type {ListHistory} from './list-history.ts';
import {createQuestions} from './questions.ts';
import {createStore, type ValueStore} from './store.ts';

/** Where a list whose newest rows stand above, below what waits, has the rest of what is done. */
export type ListOlder<Item> = {
	/** The answer has its newest first. */
	readonly ask: ListHistory<Item>['ask'];
	/** For the pause before a question that failed is asked again. */
	readonly clock: Pick<Clock, 'after'>;
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
	/** Why the last question failed. It is asked again after a moment. */
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
	/** Asks nothing more. */
	readonly end: () => void;
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
	/** Whether nothing else passes the filter. */
	isWhole(state: GatewayState): boolean;
	/** How far, where that is to be said. */
	searched(): Searched | undefined;
};

/** Pages of the journal at the end of a list; one question at a time; one that another has replaced is hung up on. */
export function createTail<Item>(
	{ask, clock, isDone, isShown, isCut, join}: ListOlder<Item>,
	keyOf: (item: Item) => string,
): Tail<Item> {
	const nothing: Loaded<Item> = {items: new Map(), low: undefined, isOver: false, scanned: 0};
	const store = createStore<Loaded<Item>>(nothing);
	const questions = createQuestions(clock, () => {
		// Whoever looks asks anew.
		store.set(loaded => ({...loaded}));
	});
	let loading: Promise<void> | undefined;
	let last: readonly Item[] = [];

	const reset = () => {
		questions.end();
		loading = undefined;
		store.set(() => nothing);
	};

	const ended = (loaded: Loaded<Item>): Loaded<Item> =>
		loaded.items.size < maxKept ? loaded : {...loaded, isOver: true};

	const page = async (filter: string) => {
		const {low} = store.get();
		const told = await questions.ask(async hungUp =>
			ask({filter, limit: pageItems, ...(low !== undefined && {before: low})}, hungUp),
		);
		if (!told) {
			return;
		}

		loading = undefined;
		if ('problem' in told) {
			store.set(loaded => ({...loaded, problem: told.problem}));
			return;
		}

		const {items, searchedTo, scanned} = told.answer;
		store.set(loaded =>
			ended({
				items: new Map([...loaded.items, ...items.map(item => [keyOf(item), item] as const)]),
				low: searchedTo ?? 0,
				isOver: searchedTo === undefined,
				scanned: loaded.scanned + scanned,
			}),
		);
	};

	const isOpen = () => !store.get().isOver && store.get().problem === undefined;

	const load = async (filter: string) => {
		if (!store.get().isOver) {
			// Neither while one is under way, nor in the pause after one that failed.
			loading ??= questions.isBusy() ? undefined : page(filter);
			await loading;
		}
	};

	return {
		get: store.get,
		subscribe: store.subscribe,
		reset,
		end: questions.end,
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
		isWhole(state) {
			const {isOver, items} = store.get();
			return !isCut(state) || (isOver && items.size < maxKept);
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
