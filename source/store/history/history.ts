import {Worker} from 'node:worker_threads';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {partUrl} from '../../core/program.ts';
import type {OnBroken} from '../broken-rows.ts';
import type {HistorySearching, StoredSums} from './port.ts';
import {historyBusy, historyUnreadable} from './under-way.ts';
import type {WorkerAnswer, WorkerAsk, WorkerQuestion} from './worker.ts';

/** How long the thread stays idle before it ends, milliseconds. */
const idleMs = 30_000;

/** Maximum number of waiting questions: a face asks one at a time, so this allows for many faces. */
const maxWaiting = 16;

/** Time limit for the thread to close its database before it is terminated, milliseconds. */
const endMs = 1000;

/** Memory limits of the thread: it holds a stretch of rows and one body. */
const memory = {maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16} as const;

type Waiting = PromiseWithResolvers<unknown> & {readonly ask: NonNullable<WorkerQuestion>};

type Thread = {
	readonly worker: Worker;
	/** In the order of asking; the first one is being answered. */
	readonly waiting: Map<number, Waiting>;
	/** The question being answered, even if its caller has gone. */
	asked: number | undefined;
};

/**
 * Searches the history of the database `file` in a worker thread, which starts with the first question and ends after a while without one. If the thread fails, its callers
 * get an error, and the next question starts another. `settle` writes the deferred writes.
 */
export function createHistory(
	{
		clock,
		settle,
		onBroken = () => {},
	}: {readonly clock: Clock; readonly settle: () => void; readonly onBroken?: OnBroken},
	{file}: {readonly file: string},
): HistorySearching & AsyncDisposable {
	let thread: Thread | undefined;
	let lastId = 0;
	let lastSums = 0;
	let cancelIdle: (() => void) | undefined;
	let isClosed = false;

	const begin = (): Thread => {
		const worker = new Worker(partUrl(import.meta.url, './worker.ts', './history-worker.js'), {
			workerData: file,
			execArgv: [],
			resourceLimits: memory,
			name: 'history',
		});
		const begun: Thread = {worker, waiting: new Map(), asked: undefined};
		const fail = (error: Error) => {
			for (const {reject} of begun.waiting.values()) {
				reject(error);
			}

			begun.waiting.clear();
			thread = thread === begun ? undefined : thread;
		};

		worker.on('message', (answer: WorkerAnswer) => {
			const waiting = begun.waiting.get(answer.id);
			begun.waiting.delete(answer.id);
			if ('error' in answer) {
				waiting?.reject(historyUnreadable(answer.error));
			} else {
				answer.broken.forEach(onBroken);
				waiting?.resolve(answer.step);
			}

			begun.asked = undefined;
			askNext(begun);
			// While ending, `end` waits for the thread: another timer would keep the process alive.
			if (thread === begun) {
				waitForMore();
			}
		});
		worker.on('error', error => fail(historyUnreadable(messageOf(error))));
		worker.on('exit', () => fail(historyUnreadable('its thread has ended')));
		// A question must not keep the process alive.
		worker.unref();
		return begun;
	};

	/** Posts one question at a time, so that one aborted before its turn costs nothing. */
	const askNext = (asking: Thread) => {
		const [next] = asking.waiting.values();
		if (asking.asked === undefined && next) {
			asking.asked = next.ask.id;
			// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
			asking.worker.postMessage(next.ask);
		}
	};

	const end = async () => {
		cancelIdle?.();
		const ending = thread;
		thread = undefined;
		if (ending) {
			const ended = new Promise<void>(resolve => {
				ending.worker.once('exit', () => resolve());
			});
			ending.worker.ref();
			const ask: WorkerQuestion = undefined;
			// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
			ending.worker.postMessage(ask);
			const cancel = clock.after(endMs, () => void ending.worker.terminate());
			await ended;
			cancel();
		}
	};

	const waitForMore = () => {
		cancelIdle?.();
		cancelIdle = clock.after(idleMs, () => {
			if (thread?.waiting.size === 0) {
				void end();
			}
		});
	};

	/** Asks the thread one question. */
	const askThread = async <Answer>(asked: WorkerAsk, signal?: AbortSignal): Promise<Answer> => {
		if (isClosed) {
			throw historyUnreadable('the store is closed');
		}

		signal?.throwIfAborted();

		settle();
		thread ??= begin();
		const asking = thread;
		const {waiting} = asking;
		if (waiting.size >= maxWaiting) {
			throw historyBusy(maxWaiting);
		}

		lastId += 1;
		const id = lastId;
		const {promise, resolve, reject} = Promise.withResolvers<unknown>();
		waiting.set(id, {ask: {id, ...asked}, promise, resolve, reject});
		askNext(asking);
		const hangUp = () => {
			waiting.delete(id);
			reject(historyUnreadable('whoever asked has gone'));
		};

		signal?.addEventListener('abort', hangUp, {once: true});
		try {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread answers what this question asked for
			return (await promise) as Answer;
		} finally {
			signal?.removeEventListener('abort', hangUp);
		}
	};

	return {
		search: async (noun, question, signal) => askThread({noun, question}, signal),
		count: async question => askThread({noun: 'counts', question}),
		async sum(question, signal) {
			lastSums += 1;
			const of = lastSums;
			for (;;) {
				// oxlint-disable-next-line no-await-in-loop -- the thread continues each step where the last one ended
				const sums = await askThread<StoredSums | undefined>({noun: 'sums', question, of}, signal);
				if (sums) {
					return sums;
				}
			}
		},
		async [Symbol.asyncDispose]() {
			isClosed = true;
			await end();
		},
	};
}
