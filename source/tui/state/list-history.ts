import type {Clock} from '../../core/clock.ts';
import type {GatewayState} from '../../core/state.ts';
import {createQuestions, type Told} from './questions.ts';
import {createStore, type ValueStore} from './store.ts';

/** One bounded answer of the journal. */
type HistoryAnswer<Item> = {
	/** Oldest first. */
	readonly items: readonly Item[];
	/** Where to go on that way; absent when nothing is left. */
	readonly searchedTo?: number;
	readonly scanned: number;
};

export type HistoryQuestion = {
	readonly filter: string;
	/** Below this cursor, or, with `after`, above that; from the newest when both are absent. */
	readonly before?: number;
	readonly after?: number;
	readonly limit: number;
};

/** Where a list has what the state does not hold. A cursor is a number that grows with the items. */
export type ListHistory<Item> = {
	ask(question: HistoryQuestion, hungUp: AbortSignal): Promise<HistoryAnswer<Item>>;
	/** For the pause before a question that failed is asked again. */
	readonly clock: Pick<Clock, 'after'>;
	readonly cursorOf: (key: string) => number;
	/** From this cursor on the state has everything; `undefined` where it has nothing. */
	wholeFrom(state: GatewayState): number | undefined;
	/** How many there are, as the journal counts; `undefined` where nobody counted. */
	total(state: GatewayState): number | undefined;
	/** When the item at a cursor came, as far as a cursor says. */
	timeOf?(cursor: number): number;
};

/** What is loaded of the history: everything that passes the filter between two cursors. */
export type Stretch<Item> = {
	/** Oldest first. */
	readonly items: readonly Item[];
	/** What is older is asked for below this; `undefined` from the newest. */
	readonly low: number | undefined;
	/** What is newer is asked for above this; `undefined` where the items of the state follow without a gap. */
	readonly high: number | undefined;
	/** Nothing is older. */
	readonly isOldest: boolean;
	/** Rows that were looked at. */
	readonly scanned: number;
	/** Why the last question failed. It is asked again after a moment. */
	readonly problem?: string;
};

/** Items that are kept around what is shown; the far end goes first. */
const maxKept = 5000;

const pageItems = 200;

/** Where the items of the state begin, if they may follow what is loaded, and where they end. */
type StateEnds = {readonly joinAt?: number | undefined; readonly newest?: number | undefined};

export type LoadedHistory<Item> = Pick<ValueStore<Stretch<Item>>, 'get' | 'subscribe'> & {
	/** Begins anew: nothing is loaded, and what is asked for lies below `low`, or, with `high`, on both sides of a cursor. */
	reset(from: Pick<Stretch<Item>, 'low' | 'high'>): void;
	/** Cuts the way to the items of the state: they have lost what followed `high`. */
	detach(high: number): void;
	/** Asks for the next page that way, unless one is asked for. */
	load(way: 'back' | 'forth', filter: string, state: StateEnds): void;
	/** Goes to the oldest, or around a cursor: what is shown stays until the answer is there. `false` when something else came first. */
	readonly jump: (to: {readonly around: number} | 'oldest', filter: string) => Promise<boolean>;
	readonly isLoading: () => boolean;
	/** Asks nothing more. */
	readonly end: () => void;
};

/** Pages of the journal on both sides of what a person looks at; one question at a time; one that another has replaced is hung up on. */
export function createLoadedHistory<Item>(
	history: ListHistory<Item>,
	keyOf: (item: Item) => string,
): LoadedHistory<Item> {
	const nothing = {items: [], isOldest: false, scanned: 0};
	const store = createStore<Stretch<Item>>({...nothing, low: undefined, high: undefined});
	const questions = createQuestions(history.clock, () => {
		// Whoever looks asks anew.
		store.set(stretch => ({...stretch}));
	});

	/** Takes an answer, or why there is none; `false` when something else came first, or it failed. */
	const take = <Answer>(
		told: Told<Answer> | undefined,
		update: (stretch: Stretch<Item>, answer: Answer) => Stretch<Item>,
	): boolean => {
		if (told && 'answer' in told) {
			store.set(({problem: _over, ...stretch}) => update(stretch, told.answer));
			return true;
		}

		if (told) {
			store.set(stretch => ({...stretch, problem: told.problem}));
		}

		return false;
	};

	const cursorAt = (items: readonly Item[], index: number): number | undefined => {
		const item = items.at(index);
		return item === undefined ? undefined : history.cursorOf(keyOf(item));
	};

	/** The older end went too far away, or the newer one: it is asked for again when somebody comes near. */
	const bounded = (stretch: Stretch<Item>, way: 'back' | 'forth'): Stretch<Item> => {
		if (stretch.items.length <= maxKept) {
			return stretch;
		}

		const items = way === 'back' ? stretch.items.slice(0, maxKept) : stretch.items.slice(-maxKept);
		return way === 'back'
			? {...stretch, items, high: cursorAt(items, -1)}
			: {...stretch, items, low: cursorAt(items, 0), isOldest: false};
	};

	const load: LoadedHistory<Item>['load'] = (way, filter, ends) => {
		if (questions.isBusy()) {
			return;
		}

		const {low, high} = store.get();
		void (async () => {
			const told = await questions.ask(async hungUp =>
				history.ask(
					{
						filter,
						limit: pageItems,
						...(way === 'back' ? low !== undefined && {before: low} : {after: high ?? 0}),
					},
					hungUp,
				),
			);
			take(told, (stretch, answer) => bounded(joined(stretch, answer, {way, ...ends}), way));
		})();
	};

	const joined = (
		stretch: Stretch<Item>,
		{items, searchedTo, scanned}: HistoryAnswer<Item>,
		{way, joinAt, newest}: StateEnds & {readonly way: 'back' | 'forth'},
	): Stretch<Item> => {
		const sum = stretch.scanned + scanned;
		if (way === 'back') {
			return {
				...stretch,
				items: [...items, ...stretch.items],
				low: searchedTo ?? 0,
				isOldest: searchedTo === undefined,
				scanned: sum,
			};
		}

		// The items of the state follow where they begin.
		const isJoined = joinAt !== undefined && (searchedTo === undefined || searchedTo >= joinAt - 1);
		const newer = isJoined ? items.filter(item => history.cursorOf(keyOf(item)) < joinAt) : items;
		const all = [...stretch.items, ...newer];
		return {
			...stretch,
			items: all,
			high: isJoined ? undefined : (searchedTo ?? newest ?? stretch.high),
			scanned: sum,
		};
	};

	return {
		get: store.get,
		subscribe: store.subscribe,
		isLoading: questions.isBusy,
		end: questions.end,
		reset({low, high}) {
			questions.end();
			store.set(() => ({...nothing, low, high}));
		},
		detach(high) {
			store.set(stretch => ({...stretch, high}));
		},
		load,
		async jump(to, filter) {
			const low = to === 'oldest' ? 0 : to.around + 1;
			const told = await questions.ask(async hungUp =>
				Promise.all([
					to === 'oldest'
						? undefined
						: history.ask({filter, before: low, limit: pageItems}, hungUp),
					history.ask({filter, after: low - 1, limit: pageItems}, hungUp),
				]),
			);
			return take(told, (_stretch, [older, newer]) => {
				const items = [...(older?.items ?? []), ...newer.items];
				return {
					items,
					low: older?.searchedTo ?? 0,
					high: newer.searchedTo ?? cursorAt(items, -1) ?? low,
					isOldest: older?.searchedTo === undefined,
					scanned: (older?.scanned ?? 0) + newer.scanned,
				};
			});
		},
	};
}
