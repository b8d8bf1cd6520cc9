import {type Clock, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createStore, type ValueStore} from './store.ts';

export type PageQuestion = {
	readonly filter: string;
	/** Older than this cursor, or, with `after`, newer than that; absent both: from the newest. */
	readonly before?: number;
	readonly after?: number;
	readonly limit: number;
};

/** A bounded answer of the journal. */
type HistoryAnswer<Item> = {
	/** Newest first; with `after`, oldest first. */
	readonly items: readonly Item[];
	/** The cursor to continue from; absent if nothing is left. */
	readonly searchedTo?: number | undefined;
	readonly scanned: number;
};

/** The source of items that the state does not hold. */
export type PageSource<Item> = {
	readonly ask: (question: PageQuestion, hungUp: AbortSignal) => Promise<HistoryAnswer<Item>>;
	/** For the pause before a failed query is retried. */
	readonly clock: Pick<Clock, 'after'>;
};

/** The loaded part of the history: all matching items between two cursors. */
type Stretch<Item> = {
	/** Oldest first. */
	readonly items: readonly Item[];
	/** Older items are queried below this cursor; `undefined`: from the newest. */
	readonly low: number | undefined;
	/** Newer items are queried above this cursor; `undefined` if the state's items follow without a gap. */
	readonly high: number | undefined;
	/** There is nothing older. */
	readonly isOldest: boolean;
	/** How many rows were searched. */
	readonly scanned: number;
	/** Why the last query failed; it is retried after a pause. */
	readonly problem?: string;
};

/** How many items are kept around the window; the far end is dropped. Without a way forth, no more are loaded. */
export const maxKept = 5000;

/** The page size of a query. */
const pageItems = 200;

/** The pause before a failed query is retried, in milliseconds; doubled each time up to the longest. */
const pauses = {first: 1000, longest: 60_000} as const;

/** The cursors where the state's items begin, if they may join the loaded ones, and where they end. */
type StateEnds = {readonly joinAt?: number | undefined; readonly newest?: number | undefined};

export type LoadedPages<Item> = ValueStore<Stretch<Item>> & {
	/** Starts over with nothing loaded. Queries then begin below `low`, or, with `high`, on both sides of a cursor. */
	readonly reset: (from?: Partial<Pick<Stretch<Item>, 'low' | 'high'>>) => void;
	/** Adds items that the state has dropped. */
	readonly add: (items: readonly Item[]) => void;
	/** Loads the next page in a direction, unless a query is in progress or has just failed; settles with that query. */
	readonly load: (way: 'back' | 'forth', filter: string, state?: StateEnds) => Promise<unknown>;
	/** Loads the oldest items, or those around a cursor; the current ones stay until the answer arrives. `false` if another query replaced it. */
	readonly jump: (to: {readonly around: number} | 'oldest', filter: string) => Promise<boolean>;
	readonly isLoading: () => boolean;
	/** Stops querying. */
	readonly end: () => void;
};

/**
 * Pages of the journal on both sides of what a person looks at. One query at a time; a replaced query is aborted. Without `cursorOf`, pages only lead back from
 * the newest item, and can repeat items of the state.
 */
export function createLoadedPages<Item>(
	{ask, clock}: PageSource<Item>,
	keyOf: (item: Item) => string,
	cursorOf?: (key: string) => number,
): LoadedPages<Item> {
	const nothing = {items: [], low: undefined, high: undefined, isOldest: false, scanned: 0};
	const store = createStore<Stretch<Item>>(nothing);
	let asking: AbortController | undefined;
	let pauseMs: number = pauses.first;
	const pause = createTimer(clock);
	let loading: Promise<unknown> | undefined;

	/** Queries a page, oldest first. */
	const page = async (question: Omit<PageQuestion, 'limit'>, hungUp: AbortSignal) => {
		const answer = await ask({...question, limit: pageItems}, hungUp);
		return question.after === undefined ? {...answer, items: answer.items.toReversed()} : answer;
	};

	const hangUp = () => {
		asking?.abort();
		asking = undefined;
		pause.cancel();
	};

	/** Sends a query in place of the one in progress, and stores its answer or error; `false` if it failed or was replaced. */
	const take = async <Answer>(
		send: (hungUp: AbortSignal) => Promise<Answer>,
		update: (stretch: Stretch<Item>, answer: Answer) => Stretch<Item>,
	): Promise<boolean> => {
		hangUp();
		const mine = new AbortController();
		asking = mine;
		try {
			const answer = await send(mine.signal);
			if (asking === mine) {
				asking = undefined;
				pauseMs = pauses.first;
				store.set(({problem: _over, ...stretch}) => update(stretch, answer));
				return true;
			}
		} catch (error) {
			if (asking === mine) {
				asking = undefined;
				pause.set(pauseMs, () => {
					// Notifies listeners, which then query again.
					store.set(stretch => ({...stretch}));
				});
				pauseMs = Math.min(2 * pauseMs, pauses.longest);
				store.set(stretch => ({...stretch, problem: messageOf(error)}));
			}
		}

		return false;
	};

	/** A query is in progress, or failed and its pause is not over. */
	const isLoading = () => asking !== undefined || !pause.isFree();

	const end = () => {
		hangUp();
		pauseMs = pauses.first;
	};

	const cursorAt = (items: readonly Item[], index: number): number | undefined => {
		const item = items.at(index);
		return item === undefined ? undefined : cursorOf?.(keyOf(item));
	};

	/** Drops the far end beyond `maxKept`; it is loaded again when the window comes near. */
	const bounded = (stretch: Stretch<Item>, way: 'back' | 'forth'): Stretch<Item> => {
		if (!cursorOf) {
			return stretch.items.length < maxKept ? stretch : {...stretch, isOldest: true};
		}

		if (stretch.items.length <= maxKept) {
			return stretch;
		}

		const items = way === 'back' ? stretch.items.slice(0, maxKept) : stretch.items.slice(-maxKept);
		return way === 'back'
			? {...stretch, items, high: cursorAt(items, -1)}
			: {...stretch, items, low: cursorAt(items, 0), isOldest: false};
	};

	const together = (before: readonly Item[], after: readonly Item[]): readonly Item[] => [
		...new Map([...before, ...after].map(item => [keyOf(item), item])).values(),
	];

	const older = (
		stretch: Stretch<Item>,
		{items, searchedTo}: HistoryAnswer<Item>,
	): Stretch<Item> => ({
		...stretch,
		items: together(items, stretch.items),
		low: searchedTo ?? 0,
		isOldest: searchedTo === undefined,
	});

	const newer = (
		stretch: Stretch<Item>,
		{items, searchedTo}: HistoryAnswer<Item>,
		{joinAt, newest}: StateEnds,
	): Stretch<Item> => {
		// The state's items follow from where they begin.
		const isJoined = joinAt !== undefined && (searchedTo === undefined || searchedTo >= joinAt - 1);
		const apart = isJoined
			? items.filter((_, index) => (cursorAt(items, index) ?? 0) < joinAt)
			: items;
		return {
			...stretch,
			items: [...stretch.items, ...apart],
			high: isJoined ? undefined : (searchedTo ?? newest ?? stretch.high),
		};
	};

	return {
		...store,
		isLoading,
		end,
		reset(from) {
			end();
			store.set(() => ({...nothing, ...from}));
		},
		add: items => store.set(stretch => ({...stretch, items: together(stretch.items, items)})),
		async load(way, filter, ends = {}) {
			if (!isLoading()) {
				const {low, high} = store.get();
				const [edge, join] =
					way === 'back'
						? ([low === undefined ? {} : {before: low}, older] as const)
						: ([{after: high ?? 0}, newer] as const);
				loading = take(
					async hungUp => page({filter, ...edge}, hungUp),
					(stretch, answer) => {
						const joined = join(stretch, answer, ends);
						return bounded({...joined, scanned: stretch.scanned + answer.scanned}, way);
					},
				);
			}

			await loading;
		},
		async jump(to, filter) {
			const low = to === 'oldest' ? 0 : to.around + 1;
			return take(
				async hungUp =>
					Promise.all([
						to === 'oldest' ? undefined : page({filter, before: low}, hungUp),
						page({filter, after: low - 1}, hungUp),
					]),
				(_stretch, [before, after]) => {
					const items = [...(before?.items ?? []), ...after.items];
					return {
						items,
						low: before?.searchedTo ?? 0,
						high: after.searchedTo ?? cursorAt(items, -1) ?? low,
						isOldest: before?.searchedTo === undefined,
						scanned: (before?.scanned ?? 0) + after.scanned,
					};
				},
			);
		},
	};
}

type NewestWish<Item> = {
	readonly filter: string;
	readonly most: number;
	readonly keyOf: (item: Item) => string;
	readonly isWanted: () => boolean;
};

/** The matching items by key, newest first, until more than `most` are found. `undefined` once `isWanted` returns false. */
export async function newestOf<Item>(
	journal: Pick<PageSource<Item>, 'ask'>,
	{filter, most, keyOf, isWanted}: NewestWish<Item>,
	hungUp: AbortSignal,
): Promise<ReadonlyMap<string, Item> | undefined> {
	const found = new Map<string, Item>();
	let before: number | undefined;
	while (found.size <= most) {
		const question = {filter, limit: pageItems, ...(before !== undefined && {before})};
		// oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
		const {items, searchedTo} = await journal.ask(question, hungUp);
		if (!isWanted()) {
			return undefined;
		}

		for (const item of items) {
			found.set(keyOf(item), item);
		}

		if (searchedTo === undefined || searchedTo >= (before ?? Infinity)) {
			break;
		}

		before = searchedTo;
	}

	return found;
}
