import {type Clock, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createStore, type ValueStore} from './store.ts';

export type PageQuestion = {
	readonly filter: string;
	/** Below this cursor, or, with `after`, above that; from the newest when both are absent. */
	readonly before?: number;
	readonly after?: number;
	readonly limit: number;
};

/** One bounded answer of the journal. */
type HistoryAnswer<Item> = {
	/** Newest first; oldest first where the question has `after`. */
	readonly items: readonly Item[];
	/** Where to go on that way; absent when nothing is left. */
	readonly searchedTo?: number | undefined;
	readonly scanned: number;
};

/** Where a list has what the state does not hold. */
export type PageSource<Item> = {
	readonly ask: (question: PageQuestion, hungUp: AbortSignal) => Promise<HistoryAnswer<Item>>;
	/** For the pause before a question that failed is asked again. */
	readonly clock: Pick<Clock, 'after'>;
};

/** What is loaded of the history: everything that passes the filter between two cursors. */
type Stretch<Item> = {
	/** Oldest first. */
	readonly items: readonly Item[];
	/** What is older is asked for below this; `undefined` from the newest. */
	readonly low: number | undefined;
	/** What is newer is asked for above this; `undefined` where the items of the state follow without a gap. */
	readonly high: number | undefined;
	/** Nothing older is asked for. */
	readonly isOldest: boolean;
	/** Rows that were looked at. */
	readonly scanned: number;
	/** Why the last question failed. It is asked again after a moment. */
	readonly problem?: string;
};

/** Items that are kept around what is shown: the far end goes first. Without a way forth, no more are asked for. */
export const maxKept = 5000;

/** Items that one question asks for. */
const pageItems = 200;

/** Before a question that failed may be asked again, milliseconds: each pause is twice the last one, up to the longest. */
const pauses = {first: 1000, longest: 60_000} as const;

/** Where the items of the state begin, if they may follow what is loaded, and where they end. */
type StateEnds = {readonly joinAt?: number | undefined; readonly newest?: number | undefined};

export type LoadedPages<Item> = ValueStore<Stretch<Item>> & {
	/** Begins anew: nothing is loaded, and what is asked for lies below `low`, or, with `high`, on both sides of a cursor. */
	readonly reset: (from?: Partial<Pick<Stretch<Item>, 'low' | 'high'>>) => void;
	/** Adds what the state had. */
	readonly add: (items: readonly Item[]) => void;
	/** Asks for the next page that way, unless one is asked for, or failed a moment ago; settles with what is asked for. */
	readonly load: (way: 'back' | 'forth', filter: string, state?: StateEnds) => Promise<unknown>;
	/** Goes to the oldest, or around a cursor: what is shown stays until the answer is there. `false` when something else came first. */
	readonly jump: (to: {readonly around: number} | 'oldest', filter: string) => Promise<boolean>;
	readonly isLoading: () => boolean;
	/** Asks nothing more. */
	readonly end: () => void;
};

/**
 * Pages of the journal on both sides of what a person looks at; one question at a time; one that another has replaced is hung up on. Without `cursorOf`, pages lead back from the newest
 * alone, and the state has items of them, too.
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

	/** An answer, oldest first. */
	const page = async (question: Omit<PageQuestion, 'limit'>, hungUp: AbortSignal) => {
		const answer = await ask({...question, limit: pageItems}, hungUp);
		return question.after === undefined ? {...answer, items: answer.items.toReversed()} : answer;
	};

	const hangUp = () => {
		asking?.abort();
		asking = undefined;
		pause.cancel();
	};

	/** Asks in place of what was asked before. Takes the answer, or why there is none; `false` when something else came first, or it failed. */
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
					// Listeners look again, and ask anew.
					store.set(stretch => ({...stretch}));
				});
				pauseMs = Math.min(2 * pauseMs, pauses.longest);
				store.set(stretch => ({...stretch, problem: messageOf(error)}));
			}
		}

		return false;
	};

	/** One is under way, or one failed and its pause is not over. */
	const isLoading = () => asking !== undefined || !pause.isFree();

	const end = () => {
		hangUp();
		pauseMs = pauses.first;
	};

	const cursorAt = (items: readonly Item[], index: number): number | undefined => {
		const item = items.at(index);
		return item === undefined ? undefined : cursorOf?.(keyOf(item));
	};

	/** Drops the far end beyond `maxKept`; it is asked for again when the window comes near. */
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
		// The items of the state follow where they begin.
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

/** What passes a filter from the newest on, newest first, by their keys: more than `most` of them where there are more. `undefined` when `isWanted` no more. */
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
