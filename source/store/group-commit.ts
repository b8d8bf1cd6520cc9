import {SvcError} from '../core/errors.ts';
import type {StoreParts} from './parts.ts';
import {isFull, journalUnavailable} from './sqlite-errors.ts';
import {
	createCommitBatching,
	createDurations,
	type GroupCommit,
	createTransaction,
	type Memory,
	type Task,
} from './transaction.ts';

/** Maximum number of writes in one commit, so that it does not hold up the event loop for long. */
const maxBatch = 128;
/** Maximum number of deferred writes in one commit. */
const maxDeferred = 64;
/** Maximum number of queued writes; more are refused. */
const maxQueued = 10_000;
/** How long deferred writes wait for a commit to join, and before a retry, milliseconds. */
const deferMs = 250;
const deferAgainMs = 2000;
/** How long to wait for another process's lock since it was first encountered, milliseconds. */
const lockedBoundMs = 3000;
const lockedRetryMs = 100;
/** Attempts of the last flush, which blocks: each waits for the busy timeout. */
const lastTries = 20;
const rememberedCommits = 512;

type Waiting = Task & {
	readonly done: () => void;
	readonly fail: (error: unknown) => void;
};

/**
 * Batches many small durable writes: whatever is written during one or a few turns of the event loop is committed and synced to disk together. `lost` returns why nothing
 * may be written any more, or `undefined`. `onCommit` is called with the number of tasks of each commit, `onFailing` when writing begins or stops to fail.
 */
export function createGroupCommit(
	{
		database,
		clock,
		memory,
		lost = () => undefined,
		onCommit = () => {},
		onFailing = () => {},
	}: Pick<StoreParts, 'clock' | 'database'> & {
		readonly memory: Memory;
		readonly lost?: () => string | undefined;
		readonly onCommit?: ((tasks: number) => void) | undefined;
		readonly onFailing?: (reason: string | undefined) => void;
	},
	{file}: {readonly file: string},
): GroupCommit {
	const transact = createTransaction(database, memory);
	const durations = createDurations(rememberedCommits);
	const urgent: Waiting[] = [];
	const deferred: Waiting[] = [];
	let failing: string | undefined;
	let lockedSince: number | undefined;
	let closed = false;
	let cancelRetry: (() => void) | undefined;
	let cancelDeferred: (() => void) | undefined;

	const idle = () => urgent.length === 0 && deferred.length === 0;

	const plan = createCommitBatching(
		() => urgent.length,
		() => flush(),
		maxBatch,
	);

	const planDeferred = (delayMs: number) => {
		cancelDeferred ??= clock.after(delayMs, () => {
			cancelDeferred = undefined;
			flush();
		});
	};

	const say = (reason: string | undefined) => {
		const changed = failing !== reason;
		failing = reason;
		if (changed) {
			onFailing(reason);
		}
	};

	const refuse = (waiting: readonly Waiting[], error: unknown) => {
		const refusal = journalUnavailable(file, error);
		say(refusal.message);
		for (const one of waiting) {
			one.fail(refusal);
		}
	};

	const waitForLock = (error: unknown) => {
		lockedSince ??= clock.monotonic();
		if (clock.monotonic() - lockedSince >= lockedBoundMs) {
			lockedSince = undefined;
			refuse(urgent.splice(0), error);
			return;
		}

		cancelRetry?.();
		cancelRetry = clock.after(lockedRetryMs, flush);
	};

	const settle = (batch: readonly Waiting[], failures: ReadonlyMap<Waiting, unknown>) => {
		onCommit(batch.length);
		for (const one of batch) {
			if (failures.has(one)) {
				one.fail(journalUnavailable(file, failures.get(one)));
			} else {
				one.done();
			}
		}
	};

	/** Commits one batch. Deferred writes stay queued until they are on disk, and never make an urgent write fail. */
	const commit = (most: number): 'committed' | 'busy' | 'failed' => {
		const writes = urgent.slice(0, maxBatch);
		const reason = lost();
		if (reason !== undefined) {
			urgent.splice(0, writes.length);
			refuse(writes, new Error(reason));
			return 'failed';
		}

		const batch = [...writes, ...deferred.slice(0, most)];
		const start = clock.monotonic();
		const outcome = transact(batch);
		switch (outcome.kind) {
			case 'busy':
				waitForLock(outcome.error);
				return 'busy';

			case 'failed':
				if (writes.length > 0 && batch.length > writes.length) {
					return commit(0);
				}

				if (writes.length > 1 && isFull(outcome.error)) {
					return commitEach(writes.length);
				}

				urgent.splice(0, writes.length);
				refuse(writes, outcome.error);
				return 'failed';

			case 'committed':
				durations.add(clock.monotonic() - start);
				urgent.splice(0, writes.length);
				deferred.splice(0, batch.length - writes.length);
				lockedSince = undefined;
				say(undefined);
				settle(batch, outcome.failures);
				return 'committed';
		}
	};

	/** Commits writes one by one on a full disk, so that one write that is too large does not prevent those that fit: steps of runs, and ends of what was begun. */
	const commitEach = (count: number): 'committed' | 'busy' | 'failed' => {
		let result: 'committed' | 'failed' = 'committed';
		for (let tried = 0; tried < count; tried += 1) {
			const [write] = urgent;
			if (!write) {
				break;
			}

			const outcome = transact([write]);
			if (outcome.kind === 'busy') {
				waitForLock(outcome.error);
				return 'busy';
			}

			urgent.shift();
			if (outcome.kind === 'failed') {
				refuse([write], outcome.error);
				result = 'failed';
			} else {
				settle([write], outcome.failures);
			}
		}

		return result;
	};

	const flush = () => {
		if (closed || idle()) {
			return;
		}

		const result = commit(maxDeferred);
		if (result === 'committed' && !idle()) {
			plan();
			return;
		}

		if (result === 'failed' && urgent.length > 0) {
			plan();
		}

		if (deferred.length > 0) {
			planDeferred(deferAgainMs);
		}
	};

	return {
		async write(task) {
			if (closed || urgent.length >= maxQueued) {
				const reason = closed ? 'it is closed' : `${maxQueued} writes wait already: try again`;
				throw new SvcError(
					'journal_unavailable',
					`Cannot write to the journal "${file}": ${reason}`,
				);
			}

			return new Promise((resolve, reject) => {
				let finish: (() => void) | undefined;
				urgent.push({
					perform() {
						const result = task();
						finish = () => resolve(result);
					},
					done: () => finish?.(),
					fail: reject,
				});
				// While the database is locked a retry is already scheduled; another attempt would only block.
				if (lockedSince === undefined) {
					plan();
				}
			});
		},
		defer(task, settled = () => {}) {
			if (closed) {
				settled(false);
				return;
			}

			deferred.push({
				perform: task,
				done: () => settled(true),
				fail: () => settled(false),
			});
			planDeferred(deferMs);
		},
		flushDeferred() {
			// While the database is locked another attempt would only block.
			let left = closed || lockedSince !== undefined ? 0 : deferred.length;
			while (left > 0 && commit(maxDeferred) === 'committed') {
				left -= maxDeferred;
			}
		},
		check() {
			const reason = lost();
			if (reason !== undefined) {
				refuse([], new Error(reason));
			}
		},
		failing: () => failing,
		idle,
		durations,
		close() {
			cancelDeferred?.();
			for (let tries = 0; tries < lastTries && !idle();) {
				tries += commit(maxDeferred) === 'committed' ? 0 : 1;
			}

			cancelRetry?.();
			closed = true;
			if (urgent.length > 0) {
				refuse(urgent.splice(0), new Error('the store is closing'));
			}

			for (const one of deferred.splice(0)) {
				one.fail(undefined);
			}
		},
	};
}
