// The thread that looks through the history: SQLite is synchronous, and a search must not hold up whoever serves requests.
import {parentPort, workerData} from 'node:worker_threads';
import {messageOf} from '../../core/errors.ts';
import type {HistoryNoun, HistoryQuestion, HistoryStep} from './port.ts';
import {openHistorySearch} from './search.ts';

/** What the thread is asked; `undefined` ends it. */
export type WorkerQuestion =
	| {readonly id: number; readonly noun: HistoryNoun; readonly question: HistoryQuestion}
	| undefined;

export type WorkerAnswer =
	| {readonly id: number; readonly step: HistoryStep<unknown>}
	| {readonly id: number; readonly error: string};

const history = openHistorySearch(String(workerData));

const answer = ({id, noun, question}: NonNullable<WorkerQuestion>): WorkerAnswer => {
	try {
		return {id, step: history.search(noun, question)};
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
