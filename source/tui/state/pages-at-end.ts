import type {Filter} from '../../core/filter/filter.ts';
import {rowsToPrefetch, type ListHistory, type Listing, type ListPages} from './list-pages.ts';
import {createLoadedPages, maxKept} from './loaded-pages.ts';

/** Pages of a list with its oldest rows at the end, below waiting items. */
export function pagesAtEnd<Item>(
	{isShown, isCut, isDone, join, ...journal}: Extract<ListHistory<Item>, {olderAt: 'end'}>,
	{feed, read, keyOf}: Listing<Item>,
): ListPages<Item> {
	const loaded = createLoadedPages(journal, keyOf);
	let asked: {readonly text: string; readonly filter: Filter<Item>} | undefined;
	let last: readonly Item[] = [];

	const isCutNow = () => isCut(feed.get().state);
	const isOpen = () => !loaded.get().isOldest && loaded.get().problem === undefined;
	const load = async () =>
		loaded.get().isOldest ? undefined : loaded.load('back', asked?.text ?? '');

	/** Takes over items that the state has dropped since the last call. */
	const follow = (live: readonly Item[]) => {
		const before = last;
		last = live;
		if (before === live || (!loaded.isLoading() && loaded.get().low === undefined)) {
			return;
		}

		const now = new Set(live.map(keyOf));
		const done = before.filter(isDone);
		const gone = done.filter(item => !now.has(keyOf(item)));
		if (gone.length === 0) {
			return;
		}

		// So many items came at once, or are kept, that there may be a gap: load again.
		if (gone.length === done.length || loaded.get().items.length > maxKept) {
			loaded.reset();
		} else {
			loaded.add(gone);
		}
	};

	return {
		...loaded,
		begin(filter, text) {
			asked = {filter, text};
			loaded.reset();
		},
		items(passing) {
			const {items} = loaded.get();
			if (items.length === 0) {
				return passing;
			}

			const {state, now} = feed.get();
			const known = new Set(read(state).map(keyOf));
			const gone = items.filter(
				item => !known.has(keyOf(item)) && asked?.filter.matches(item, now),
			);
			return join(passing, gone);
		},
		counted: (_passing, window) => window,
		facts({items}) {
			const {isOldest, problem, scanned: rows} = loaded.get();
			const isFull = loaded.get().items.length >= maxKept;
			const isTotalCut = isCutNow() && (!isOldest || isFull);
			return {
				total: Math.max(read(feed.get().state).length, items.length, rows),
				isTotalCut,
				isWhole: !isTotalCut,
				...((problem !== undefined || isFull) && {
					searched: {rows, isWhole: false, problem, ...(isFull && {most: maxKept})},
				}),
			};
		},
		look(shown) {
			follow(read(feed.get().state));
			if (isShown() && isCutNow()) {
				const {items, window, height} = shown();
				if (items.length - window.end < rowsToPrefetch(height)) {
					void load();
				}
			}
		},
		toNewest() {},
		toOldest: (isWanted = () => true) =>
			isCutNow()
				? (async () => {
						while (isOpen() && isShown() && isWanted()) {
							// oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ended
							await load();
						}

						return isWanted();
					})()
				: undefined,
		toKey: async () => false,
	};
}
