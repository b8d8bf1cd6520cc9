import {SvcError} from '../../core/errors.ts';
import {maxFilterLength, parseFilter, type Vocabulary} from '../../core/filter/filter.ts';
import type {HistoryQuestion, HistoryStep} from '../../store/history/port.ts';

type Cursor = Pick<HistoryQuestion, 'before' | 'limit'>;

/** Hits that one step may have: the other side's answer is in memory at once. */
const stepItems = 200;

type HistorySearch<Item> = {
	readonly before: number | undefined;
	readonly limit: number;
	readonly downTo?: number;
	readonly keep: (items: readonly Item[]) => Promise<readonly Item[]>;
};

/**
 * Up to `limit` rows that `keep` lets pass, newest first: step by step from `before` on until they are there or nothing older is left. No step takes long, and
 * none is asked for when this process has ended, so that a signal is the end of a search. Nothing below the cursor `downTo` is looked for.
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
		// A cursor that does not go down would never come to an end.
		if (searchedTo === undefined || searchedTo <= downTo || searchedTo >= (at ?? Infinity)) {
			break;
		}

		at = searchedTo;
	}

	return found.slice(0, limit);
}

/** Refuses a word that a list would ignore: the command line cannot mark it. @throws SvcError `filter_invalid` */
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
