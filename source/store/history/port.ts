import type {Approval} from '../../core/approval.ts';
import type {Delivery} from '../../core/delivery.ts';
import type {Group} from '../../core/group.ts';
import type {RunSums, SumsBy} from '../../core/run-sums.ts';
import type {Run} from '../../core/run.ts';

/** What the history contains: all deliveries and runs, dispatched groups, settled approvals. */
export type HistoryItems = {
	readonly deliveries: Delivery;
	readonly runs: Run;
	readonly groups: Group;
	readonly approvals: Approval;
};

export type HistoryNoun = keyof HistoryItems;

/** Cursors are numbers: a delivery's id as a number, the number of a run or an approval, the number of a group's run. */
export type HistoryQuestion = {
	/** A filter for `parseFilter` with the vocabulary of the noun; empty for all. */
	readonly filter: string;
	/** The time that `since:` is relative to, milliseconds since 1970. */
	readonly now: number;
	/** Below this, newest first; from the newest when both are absent. */
	readonly before?: number;
	/** Above this cursor, oldest first. */
	readonly after?: number;
	/** 1 to 1,000. */
	readonly limit: number;
};

/** The result of one step of a search. */
export type HistoryStep<Item> = {
	/** In the order of the search. */
	readonly items: readonly Item[];
	/** The cursor for the next step, as `before` or `after`; absent when no rows are left in that direction. */
	readonly searchedTo?: number;
	/** Number of rows examined. */
	readonly scanned: number;
};

export type CountQuestion = {
	/** Only deliveries received since then are counted, milliseconds since 1970. */
	readonly from: number;
	/** Length of the intervals since `from` that are counted separately, milliseconds. */
	readonly partMs: number;
	/** Below this cursor of deliveries; from the newest when absent. */
	readonly before?: number;
};

/** Deliveries of one route in one interval, by outcome. */
export type PartCount = {
	readonly profile: string;
	/** Empty for requests to no route. */
	readonly route: string;
	/** Index of the interval, from 0. */
	readonly part: number;
	readonly received: number;
	/** Number of those that led to something. */
	readonly taken: number;
	/** Number of those answered with a status of 400 or above. */
	readonly refused: number;
};

/** The result of one step of counting. */
export type CountStep = {
	/** May contain the same route and part several times: add them up. */
	readonly counts: readonly PartCount[];
	/** The cursor of the newest delivery examined; absent when there was none. */
	readonly newest?: number;
	/** The cursor for the next step, as `before`; absent when no rows are left. */
	readonly searchedTo?: number;
};

export type SumQuestion = {
	readonly by: SumsBy;
	/** Only runs created since then are summed, milliseconds since 1970. */
	readonly from: number;
	/** Only runs of this profile. */
	readonly profile?: string;
};

/** Sums of runs. `since`: `from` of the question, or later if there were more runs than the limit. */
export type StoredSums = Pick<RunSums, 'leftOut' | 'rows' | 'since'>;

/** Searches the whole history, in the filter language. */
export type HistorySearching = {
	/**
	 * One step of a search: ends after `limit` hits, or with what it has after about 60 ms. It does not block the event loop or any write. A filter has the same result as on
	 * the items themselves. Aborting frees the queue's place at once.
	 *
	 * @throws SvcError `history_unreadable`, `history_busy`
	 */
	search<Noun extends HistoryNoun>(
		noun: Noun,
		question: HistoryQuestion,
		signal?: AbortSignal,
	): Promise<HistoryStep<HistoryItems[Noun]>>;
	/** One step of counting deliveries, of the same duration and with the same errors. Excludes imported deliveries. */
	count(question: CountQuestion): Promise<CountStep>;
	/** Sums all runs in several steps, between which other questions are answered. Same errors; aborting frees the queue's place. */
	sum(question: SumQuestion, signal?: AbortSignal): Promise<StoredSums>;
};
