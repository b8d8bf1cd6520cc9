import type {DatabaseSync} from 'node:sqlite';
import {concernsDatabase, isBusy} from './sqlite-errors.ts';

/** One unit of writes. It may run twice, so it changes nothing but the database and the `Memory` of the transaction. */
export type Task = {readonly perform: () => void};

/** State beside the database that has to roll back with it. */
export type Memory = {
	/** Remembers how it is; the result puts it back. May be nested. */
	save(): () => void;
	/** Writes what has to outlive the process. Inside the transaction, before its commit. */
	persist(): void;
	/** The transaction is on disk: no way back is needed any more. */
	committed(): void;
};

/** The part of a memory that is its way back: `undo` takes what undoes a change that was just made. */
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

/** Several memories as one. */
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
	/** On disk, except the tasks in `failures`, of which nothing is. */
	| {readonly kind: 'committed'; readonly failures: ReadonlyMap<One, unknown>}
	/** Another connection holds the lock; nothing was tried. */
	| {readonly kind: 'busy'; readonly error: unknown}
	/** Nothing is on disk. */
	| {readonly kind: 'failed'; readonly error: unknown};

/**
 * A function that performs tasks in one transaction. The common case pays for no savepoint: only when a task throws is everything
 * rolled back and done again with one savepoint each, so that the neighbours of a bad task are kept.
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
			// A full disk has rolled back already.
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
			// A rollback that failed, as on a broken disk, must not lock us out for good.
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

		// Outside the `try`: what is on disk must not be reported, or done, as if it were not.
		memory.committed();
		return outcome;
	};
}

/** How the adapter writes: many small durable writes for the price of one. @see createGroupCommit */
export type GroupCommit = {
	/**
	 * Runs `task` in the next transaction and resolves with its result when that is on disk. All tasks of one turn of the event loop, and of up to three more while each brings some, share the
	 * commit. A task that throws fails alone. `task` may run twice and must be synchronous. @throws SvcError `journal_unavailable`
	 */
	write<Result>(task: () => Result): Promise<Result>;
	/** Runs `task` with the next commit, at the latest after 250 ms, as often as it takes; calls `settled` once it is on disk (true) or given up (false). */
	defer(task: () => void, settled?: (written: boolean) => void): void;
	/** Writes the waiting deferred writes, blocking, before they are read. Those that fail stay in line. */
	flushDeferred(): void;
	/** Looks whether the database may be written at all, as every commit does: for when there are none. */
	check(): void;
	/** Why the last commit failed; `undefined` when it did not. */
	failing(): string | undefined;
	/** Whether nothing waits to be written. */
	idle(): boolean;
	/** Durations of the last 512 commits. */
	readonly durations: Pick<ReturnType<typeof createDurations>, 'percentile'>;
	/** Writes what waits, blocking for at most a second when the database is locked. Later calls of `write` are refused. */
	close(): void;
};

/** Turns of the event loop that work waits through while each of them brings more: requests that came while others were read share their sync. */
const maxTurns = 4;

/**
 * A function that plans to call `flush`, unless that is planned already: at the end of a turn of the event loop that brought no more, at the latest of the fourth, or when `most` wait. A single one does not wait.
 * `waiting` says how many wait now.
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
		/** The smallest duration that `share` (0 to 1) of the remembered ones do not exceed; 0 without any. */
		percentile(share: number): number {
			const sorted = values.slice(0, Math.min(count, size)).toSorted();
			return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
		},
	};
}
