// The thread that looks through the history: SQLite is synchronous, and a search must not hold up whoever serves requests.
import {parentPort, workerData} from 'node:worker_threads';
import {messageOf} from '../../core/errors.ts';
import type {CountQuestion, CountStep, HistoryNoun, HistoryQuestion, HistoryStep} from './port.ts';
import {openHistorySearch} from './search.ts';

/** What the thread is asked; `undefined` ends it. */
export type WorkerQuestion =
	| {readonly id: number; readonly noun: HistoryNoun; readonly question: HistoryQuestion}
	| {readonly id: number; readonly noun: 'counts'; readonly question: CountQuestion}
	| undefined;

export type WorkerAnswer =
	| {readonly id: number; readonly step: HistoryStep<unknown> | CountStep}
	| {readonly id: number; readonly error: string};

const history = openHistorySearch(String(workerData));

const answer = (asked: NonNullable<WorkerQuestion>): WorkerAnswer => {
	const {id} = asked;
	try {
		return {
			id,
			step:
				asked.noun === 'counts'
					? history.count(asked.question)
					: history.search(asked.noun, asked.question),
		};
	} catch (error) {
		return {id, error: messageOf(error)};
	}
};

parentPort?.on('message', (asked: WorkerQuestion) => {
	if (asked) {
		// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
		parentPort?.postMessage(answer(asked));
	} else {
		history[Symbol.dispose]();
		parentPort?.close();
	}
});
