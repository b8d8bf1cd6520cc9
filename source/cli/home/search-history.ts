import {SvcError} from '../../core/errors.ts';
import {maxFilterLength, parseFilter, type Vocabulary} from '../../core/filter/filter.ts';
import type {HistoryQuestion, HistoryStep} from '../../store/history/port.ts';

type Cursor = Pick<HistoryQuestion, 'before' | 'limit'>;

/** The page size of a step, whose whole answer is held in memory. */
const stepItems = 200;

type HistorySearch<Item> = {
	readonly before: number | undefined;
	readonly limit: number;
	readonly downTo?: number;
	readonly keep: (items: readonly Item[]) => Promise<readonly Item[]>;
};

/**
 * Up to `limit` rows accepted by `keep`, newest first: pages from `before` downwards until there are enough, or nothing older is left. Steps are short, and stop
 * when the process ends, so that a signal ends the search. Does not search below the cursor `downTo`.
 */
export async function searchHistory<Item>(
	search: (cursor: Cursor) => Promise<Pick<HistoryStep<Item>, 'items' | 'searchedTo'>>,
	{before, limit, downTo = 0, keep}: HistorySearch<Item>,
): Promise<readonly Item[]> {
	const found: Item[] = [];
	let at = before;
	while (found.length < limit) {
		// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
		const {items, searchedTo} = await search({
			limit: stepItems,
			...(at !== undefined && {before: at}),
		});
		// oxlint-disable-next-line no-await-in-loop
		found.push(...(await keep(items)));
		// A cursor that does not decrease would never end.
		if (searchedTo === undefined || searchedTo <= downTo || searchedTo >= (at ?? Infinity)) {
			break;
		}

		at = searchedTo;
	}

	return found.slice(0, limit);
}

/** Refuses filter words that a list would only mark as ignored, which the command line cannot. @throws SvcError `filter_invalid` */
export function requireFilter<Item>(text: string, vocabulary: Vocabulary<Item>): void {
	const problem =
		text.length > maxFilterLength
			? `give at most ${maxFilterLength} characters`
			: parseFilter(text, vocabulary).problem;
	if (problem !== undefined) {
		throw new SvcError(
			'filter_invalid',
			`Cannot use filter "${text.slice(0, maxFilterLength)}": ${problem}`,
		);
	}
}
