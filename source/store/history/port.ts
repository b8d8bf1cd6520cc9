import type {Approval} from '../../core/approval.ts';
import type {Delivery} from '../../core/delivery.ts';
import type {Group} from '../../core/group.ts';
import type {RunSums, SumsBy} from '../../core/run-sums.ts';
import type {Run} from '../../core/run.ts';

/** What of each noun lies in the history: deliveries and runs all, groups once they are dispatched, approvals once they are settled. */
export type HistoryItems = {
	readonly deliveries: Delivery;
	readonly runs: Run;
	readonly groups: Group;
	readonly approvals: Approval;
};

export type HistoryNoun = keyof HistoryItems;

/** Cursors are numbers: of a delivery its id as a number, of a run or an approval its own number, of a group the number of its run. */
export type HistoryQuestion = {
	/** As `parseFilter` reads it with the vocabulary of the noun; empty for all. */
	readonly filter: string;
	/** What `since:` counts from, milliseconds since 1970. */
	readonly now: number;
	/** Below this, newest first; from the newest when both are absent. */
	readonly before?: number;
	/** Above this, oldest first. */
	readonly after?: number;
	/** 1 to 1,000. */
	readonly limit: number;
};

/** What one step of a search came to. */
export type HistoryStep<Item> = {
	/** In the order in which they were met. */
	readonly items: readonly Item[];
	/** Where the next step goes on, as `before` or `after`; absent when nothing is left that way. */
	readonly searchedTo?: number;
	/** Rows that were looked at. */
	readonly scanned: number;
};

export type CountQuestion = {
	/** What was received before is not counted, milliseconds since 1970. */
	readonly from: number;
	/** Length of the parts of the time since `from` that are counted apart, milliseconds. */
	readonly partMs: number;
	/** Below this cursor of deliveries; from the newest when absent. */
	readonly before?: number;
};

/** What was received for one route in one part of the time, and how it was answered. */
export type PartCount = {
	readonly profile: string;
	/** Empty for requests to no route. */
	readonly route: string;
	/** 0 is the first one. */
	readonly part: number;
	readonly received: number;
	/** Of those, led to something. */
	readonly taken: number;
	/** Of those, answered with a status of 400 or above. */
	readonly refused: number;
};

/** What one step of counting came to. */
export type CountStep = {
	/** One route and part may be there several times: to be added up. */
	readonly counts: readonly PartCount[];
	/** The cursor of the newest delivery that was looked at; absent when none was. */
	readonly newest?: number;
	/** Where the next step goes on, as `before`; absent when nothing is left. */
	readonly searchedTo?: number;
};

export type SumQuestion = {
	readonly by: SumsBy;
	/** Runs that were made before are not summed, milliseconds since 1970. */
	readonly from: number;
	/** Only runs of this profile. */
	readonly profile?: string;
};

/** What runs came to. `since`: `from` of the question, or later where there are more runs than are looked at. */
export type StoredSums = Pick<RunSums, 'leftOut' | 'rows' | 'since'>;

/** The whole history, by the language of the filters. */
export type HistorySearching = {
	/**
	 * One step of a search: it ends after `limit` hits, or after about 60 ms with what it has. It runs beside the event loop and holds up no write. A filter is
	 * answered as it answers about the items themselves. Aborting frees the place at once.
	 * @throws SvcError `history_unreadable`, `history_busy`
	 */
	search<Noun extends HistoryNoun>(
		noun: Noun,
		question: HistoryQuestion,
		signal?: AbortSignal,
	): Promise<HistoryStep<HistoryItems[Noun]>>;
	/** One step of counting deliveries, as short, and the same errors. What another gateway answered is not counted. */
	count(question: CountQuestion): Promise<CountStep>;
	/** Sums of runs, all of them: other questions are answered between its steps. The same errors; aborting frees the place. */
	sum(question: SumQuestion, signal?: AbortSignal): Promise<StoredSums>;
};
