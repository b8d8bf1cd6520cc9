import {SvcError} from '../../core/errors.ts';
import {createRepeat} from '../../core/mutex.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';
import {failsAll, isSilence, journalUnavailable} from './postgres-errors.ts';

/** Maximum number of waiting calls; more are refused. */
const maxWaiting = 10_000;
/** How long deferred writes wait to be gathered, and before a retry, milliseconds. */
const deferMs = 250;
const deferAgainMs = 2000;
/** Maximum number of deferred writes in one transaction. */
const maxDeferred = 64;

type Waiting<Item, Result> = {
	readonly item: Item;
	readonly done: (result: Result) => void;
	readonly fail: (error: unknown) => void;
};

type BatchOptions<Item> = {
	readonly most: number;
	readonly name: string;
	/** For items that may be heavy: a batch contains items up to this total weight, but at least one. */
	readonly weight?: {readonly of: (item: Item) => number; readonly most: number};
};

/**
 * Batches calls: those of one turn of the event loop, and those that arrive while a batch is being performed, are performed together in order, at most `most` at once.
 * `perform` returns results in that order. If it rejects because of an item, it runs again with each item alone, so that only that one fails.
 */
export const createBatch = <Item, Result>(
	perform: (items: readonly Item[]) => Promise<readonly Result[]>,
	options: BatchOptions<Item>,
): ((item: Item) => Promise<Result>) =>
	createLateBatch<Item, Result>(async take => perform(take()), options);

/** Like `createBatch`, but the batch is taken when `perform` first calls `take`, which returns the same items when called again. */
export function createLateBatch<Item, Result>(
	perform: (take: () => readonly Item[]) => Promise<readonly Result[]>,
	{most, name, weight}: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
	const waiting: Array<Waiting<Item, Result>> = [];
	let isPlanned = false;

	const performAll = async (take: () => ReadonlyArray<Waiting<Item, Result>>) => {
		try {
			const results = await perform(() => take().map(({item}) => item));
			for (const [index, {done}] of take().entries()) {
				// oxlint-disable-next-line typescript/no-non-null-assertion -- there is one result per item
				done(results[index]!);
			}
		} catch (error) {
			const batch = take();
			if (batch.length === 1 || failsAll(error)) {
				// Senders give up after ten seconds: callers that queued behind an unanswered batch must not wait as long again.
				for (const {fail} of isSilence(causeOf(error)) ? [...batch, ...waiting.splice(0)] : batch) {
					fail(error);
				}

				return;
			}

			for (const one of batch) {
				// oxlint-disable-next-line no-await-in-loop -- in order
				await performAll(() => [one]);
			}
		}
	};

	const countOfNext = () => {
		let sum = 0;
		const tooHeavy = waiting.slice(0, most).findIndex(({item}) => {
			sum += weight?.of(item) ?? 0;
			return sum > (weight?.most ?? sum);
		});
		return tooHeavy === -1 ? most : Math.min(most, Math.max(1, tooHeavy));
	};

	const flush = async () => {
		while (waiting.length > 0) {
			let batch: ReadonlyArray<Waiting<Item, Result>> | undefined;
			// oxlint-disable-next-line no-await-in-loop -- the next batch gathers meanwhile
			await performAll(() => (batch ??= waiting.splice(0, countOfNext())));
		}

		isPlanned = false;
	};

	return async item => {
		if (waiting.length >= maxWaiting) {
			throw journalUnavailable(name, new Error(`${maxWaiting} writes wait already: try again`));
		}

		return new Promise((done, fail) => {
			waiting.push({item, done, fail});
			if (!isPlanned) {
				isPlanned = true;
				setImmediate(() => void flush());
			}
		});
	};
}

/** The database's error behind an `SvcError`. */
const causeOf = (error: unknown): unknown =>
	error instanceof SvcError && error.code === 'journal_unavailable' ? error.cause : error;

/** Writes that no caller waits for. */
export type Deferred = ReturnType<typeof createDeferred>;

type DeferredTask = {
	readonly perform: (transaction: Transaction) => Promise<unknown>;
	readonly settled: (written: boolean) => void;
};

/** Defers writes to a database. A task that fails on its own is given up; the others are written. */
export function createDeferred({database, clock}: Pick<PostgresParts, 'clock' | 'database'>) {
	const tasks: DeferredTask[] = [];
	let cancel: (() => void) | undefined;
	let isClosed = false;

	const settle = (batch: readonly DeferredTask[], isWritten: boolean) => {
		for (const task of batch) {
			tasks.splice(tasks.indexOf(task), 1);
			task.settled(isWritten);
		}
	};

	/** `false` when the database accepts no writes. */
	const write = async (batch: readonly DeferredTask[]): Promise<boolean> => {
		try {
			await database.transact(async transaction => {
				for (const {perform} of batch) {
					// oxlint-disable-next-line no-await-in-loop -- in order
					await perform(transaction);
				}
			});
		} catch (error) {
			if (failsAll(error)) {
				return false;
			}

			if (batch.length > 1) {
				let written = true;
				for (const one of batch) {
					// oxlint-disable-next-line no-await-in-loop
					written = (await write([one])) && written;
				}

				return written;
			}

			settle(batch, false);
			return true;
		}

		settle(batch, true);
		return true;
	};

	const writeAll = createRepeat(async () => {
		for (let left = tasks.length; left > 0; left -= maxDeferred) {
			// oxlint-disable-next-line no-await-in-loop
			if (!(await write(tasks.slice(0, maxDeferred)))) {
				return false;
			}
		}

		return true;
	});

	/** Writes all waiting tasks, so that they can be read. What cannot be written stays queued; never rejects. */
	const flush = async () => {
		const isWritten = await writeAll();
		if (!isWritten) {
			plan(deferAgainMs);
		}
	};

	const plan = (delayMs: number) => {
		if (!isClosed) {
			cancel ??= clock.after(delayMs, () => {
				cancel = undefined;
				void flush();
			});
		}
	};

	return {
		/**
		 * Runs `perform` with others in one transaction, after at most 250 ms, again if the transaction is retried; calls `settled` with `true` once it is on disk, with `false` if
		 * it is given up.
		 */
		defer(perform: DeferredTask['perform'], settled: DeferredTask['settled'] = () => {}) {
			if (isClosed || tasks.length >= maxWaiting) {
				settled(false);
				return;
			}

			tasks.push({perform, settled});
			plan(deferMs);
		},
		flush,
		/** Writes the waiting tasks, or gives them up; accepts no more. */
		async close() {
			isClosed = true;
			cancel?.();
			await writeAll();
			for (const {settled} of tasks.splice(0)) {
				settled(false);
			}
		},
	};
}
