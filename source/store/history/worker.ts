// The thread that searches the history: SQLite is synchronous, and a search must not block the thread that serves requests.
import {parentPort, workerData} from 'node:worker_threads';
import {messageOf} from '../../core/errors.ts';
import type {BrokenRow} from '../broken-rows.ts';
import type {
	CountQuestion,
	CountStep,
	HistoryNoun,
	HistoryQuestion,
	HistoryStep,
	StoredSums,
	SumQuestion,
} from './port.ts';
import {openHistorySearch, type Summing} from './search.ts';

/** One step of searching, counting or summing; `of` identifies the sums that a step continues. */
export type WorkerAsk =
	| {readonly noun: HistoryNoun; readonly question: HistoryQuestion}
	| {readonly noun: 'counts'; readonly question: CountQuestion}
	| {readonly noun: 'sums'; readonly question: SumQuestion; readonly of: number};

/** A question to the thread; `undefined` ends it. */
export type WorkerQuestion = (WorkerAsk & {readonly id: number}) | undefined;

export type WorkerAnswer =
	| {
			readonly id: number;
			/** `undefined` when the sums need another step. */
			readonly step: HistoryStep<unknown> | CountStep | StoredSums | undefined;
			/** Rows skipped as unreadable. */
			readonly broken: readonly BrokenRow[];
	  }
	| {readonly id: number; readonly error: string};

let broken: BrokenRow[] = [];
const history = openHistorySearch(String(workerData), row => {
	broken.push(row);
});

/** Sums in progress, the most recently continued last; at most as many as questions may wait. Abandoned ones are dropped. */
const sums = new Map<number, Summing>();

const maxSums = 16;

/** Runs one step of sums; unknown sums start over. */
async function sumStep(of: number, question: SumQuestion): Promise<StoredSums | undefined> {
	const summing = sums.get(of) ?? history.sum(question);
	sums.delete(of);
	const done = await summing.step();
	if (!done) {
		sums.set(of, summing);
		const [oldest = of] = sums.keys();
		if (sums.size > maxSums) {
			sums.delete(oldest);
		}
	}

	return done;
}

const stepOf = async (asked: NonNullable<WorkerQuestion>) => {
	if (asked.noun === 'sums') {
		return sumStep(asked.of, asked.question);
	}

	return asked.noun === 'counts'
		? history.count(asked.question)
		: history.search(asked.noun, asked.question);
};

const answer = async (asked: NonNullable<WorkerQuestion>): Promise<WorkerAnswer> => {
	const {id} = asked;
	broken = [];
	try {
		return {id, step: await stepOf(asked), broken};
	} catch (error) {
		return {id, error: messageOf(error)};
	}
};

const tell = async (asked: NonNullable<WorkerQuestion>) => {
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
	parentPort?.postMessage(await answer(asked));
};

// A step waits for nothing external, so it ends before the next message is handled.
parentPort?.on('message', (asked: WorkerQuestion) => {
	if (asked) {
		void tell(asked);
	} else {
		history[Symbol.dispose]();
		parentPort?.close();
	}
});
