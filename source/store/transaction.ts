import type {DatabaseSync} from 'node:sqlite';
import {concernsDatabase, isBusy} from './sqlite-errors.ts';

/** One unit of writes. It may run twice, so it must change nothing except the database and the `Memory` of the transaction. */
export type Task = {readonly perform: () => void};

/** In-memory state that must roll back together with the database. */
export type Memory = {
	/** Saves the state; the returned function restores it. May be nested. */
	save(): () => void;
	/** Writes state that must outlive the process, inside the transaction before its commit. */
	persist(): void;
	/** The transaction is on disk: saved states are no longer needed. */
	committed(): void;
};

/** Undo steps of a memory: `undo` takes a function that reverts the change just made. */
export function createUndo() {
	const steps: Array<() => void> = [];
	return {
		undo: (step: () => void) => steps.push(step),
		save() {
			const depth = steps.length;
			return () => {
				while (steps.length > depth) {
					steps.pop()?.();
				}
			};
		},
		persist() {},
		committed() {
			steps.length = 0;
		},
	};
}

/** Combines several memories. */
export const joinMemories = (parts: readonly Memory[]): Memory => ({
	save() {
		const restores = parts.map(part => part.save());
		return () => {
			for (const restore of restores) {
				restore();
			}
		};
	},
	persist() {
		for (const part of parts) {
			part.persist();
		}
	},
	committed() {
		for (const part of parts) {
			part.committed();
		}
	},
});

type Outcome<One extends Task> =
	/** On disk, except the tasks in `failures`, which left nothing. */
	| {readonly kind: 'committed'; readonly failures: ReadonlyMap<One, unknown>}
	/** Another connection holds the lock; nothing was tried. */
	| {readonly kind: 'busy'; readonly error: unknown}
	/** Nothing is on disk. */
	| {readonly kind: 'failed'; readonly error: unknown};

/**
 * Returns a function that performs tasks in one transaction. The common case needs no savepoint: only if a task throws is everything rolled back and repeated with a
 * savepoint for each task, so that the others are kept.
 */
export function createTransaction(
	database: DatabaseSync,
	memory: Memory,
): <One extends Task>(tasks: readonly One[]) => Outcome<One> {
	const begin = database.prepare('begin immediate');
	const commit = database.prepare('commit');
	const rollback = database.prepare('rollback');
	const savepoint = database.prepare('savepoint task');
	const release = database.prepare('release task');
	const rollbackTask = database.prepare('rollback to task');

	const within = (perform: () => void) => {
		const restore = memory.save();
		try {
			perform();
			memory.persist();
			commit.run();
		} catch (error) {
			restore();
			// On a full disk, SQLite has rolled back already.
			if (database.isTransaction) {
				rollback.run();
			}

			throw error;
		}
	};

	const performIsolated = (task: Task) => {
		const restore = memory.save();
		savepoint.run();
		try {
			task.perform();
			release.run();
			return undefined;
		} catch (error) {
			if (concernsDatabase(error)) {
				throw error;
			}

			restore();
			rollbackTask.run();
			release.run();
			return {error};
		}
	};

	const isolate = <One extends Task>(tasks: readonly One[]): Outcome<One> => {
		const failures = new Map<One, unknown>();
		begin.run();
		within(() => {
			for (const task of tasks) {
				const failure = performIsolated(task);
				if (failure) {
					failures.set(task, failure.error);
				}
			}
		});
		return {kind: 'committed', failures};
	};

	const performAll = <One extends Task>(tasks: readonly One[]): Outcome<One> => {
		try {
			within(() => {
				for (const task of tasks) {
					task.perform();
				}
			});
			return {kind: 'committed', failures: new Map()};
		} catch (error) {
			if (concernsDatabase(error)) {
				throw error;
			}

			return isolate(tasks);
		}
	};

	return tasks => {
		try {
			// A failed rollback, as on a broken disk, must not block later transactions.
			if (database.isTransaction) {
				rollback.run();
			}

			begin.run();
		} catch (error) {
			return {kind: isBusy(error) ? 'busy' : 'failed', error};
		}

		let outcome: ReturnType<typeof performAll<(typeof tasks)[number]>>;
		try {
			outcome = performAll(tasks);
		} catch (error) {
			return {kind: 'failed', error};
		}

		// Outside the `try`: what is on disk must not be reported as failed, or be repeated.
		memory.committed();
		return outcome;
	};
}

/** Batches many small durable writes into few commits. @see createGroupCommit */
export type GroupCommit = {
	/**
	 * Runs `task` in the next transaction and resolves with its result once that is on disk. All tasks of one turn of the event loop, and of up to three more while each brings
	 * some, share the commit. A task that throws fails alone. `task` may run twice and must be synchronous.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	write<Result>(task: () => Result): Promise<Result>;
	/**
	 * Runs `task` with the next commit, after at most 250 ms, again if the transaction is retried; calls `settled` with `true` once it is on disk, with `false` if it is given up.
	 */
	defer(task: () => void, settled?: (written: boolean) => void): void;
	/** Writes the waiting deferred writes, blocking, so that they can be read. Those that fail stay queued. */
	flushDeferred(): void;
	/** Checks whether the database may still be written, as every commit does: for times without commits. */
	check(): void;
	/** Why the last commit failed; `undefined` when it did not. */
	failing(): string | undefined;
	/** Whether no write is waiting. */
	idle(): boolean;
	/** Durations of the last 512 commits. */
	readonly durations: Pick<ReturnType<typeof createDurations>, 'percentile'>;
	/** Writes what is waiting, blocking for at most a second if the database is locked. Later calls of `write` are refused. */
	close(): void;
};

/** Maximum number of turns of the event loop to wait while each brings more work, so that requests that arrived together share a sync. */
const maxTurns = 4;

/**
 * Returns a function that schedules `flush`, unless it is scheduled already: at the end of the first turn of the event loop that brought no more, of the fourth at the
 * latest, or when `most` are waiting. A single one does not wait. `waiting` returns how many are waiting.
 */
export function createCommitBatching(waiting: () => number, flush: () => void, most: number) {
	let planned = false;

	const afterTurn = (known: number, turns: number) => {
		setImmediate(() => {
			const now = waiting();
			if (now > Math.max(known, 1) && now < most && turns > 1) {
				afterTurn(now, turns - 1);
				return;
			}

			planned = false;
			flush();
		});
	};

	return () => {
		if (!planned) {
			planned = true;
			afterTurn(0, maxTurns);
		}
	};
}

/** Remembers the last `size` durations of something, milliseconds. */
export function createDurations(size: number) {
	const values = new Float64Array(size);
	let count = 0;
	return {
		add(durationMs: number) {
			values[count % size] = durationMs;
			count += 1;
		},
		/** The smallest duration not exceeded by a fraction `share` (0 to 1) of the remembered ones; 0 without any. */
		percentile(share: number): number {
			const sorted = values.slice(0, Math.min(count, size)).toSorted();
			return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
		},
	};
}
