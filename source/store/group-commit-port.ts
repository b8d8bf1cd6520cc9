/** How the adapter writes: many small durable writes for the price of one. @see createGroupCommit */
export type GroupCommit = {
	/**
	 * Runs `task` in the next transaction and resolves with its result when that is on disk. All tasks of one turn of the event loop, and of up to three more while each brings some, share the
	 * commit. A task that throws fails alone. `task` may run twice and must be synchronous. @throws SvcError `journal_unavailable`
	 */
	write<Result>(task: () => Result): Promise<Result>;
	/** Runs `task` with the next commit, at the latest after 250 ms, as often as it takes; calls `settled` once it is on disk (true) or given up (false). */
	defer(task: () => void, settled?: (written: boolean) => void): void;
	/** Writes, blocking, the deferred writes that wait now: for whoever is about to read what they say. What cannot be written stays in line. */
	flushDeferred(): void;
	/** Looks whether the database may be written at all, as every commit does: for when there are none. */
	check(): void;
	/** Why the last commit failed; `undefined` when it did not. */
	failing(): string | undefined;
	/** Whether nothing waits to be written. */
	idle(): boolean;
	/** Durations of the last 512 commits. */
	readonly durations: {percentile(share: number): number};
	/** Writes what waits, blocking for at most a second when the database is locked. Later calls of `write` are refused. */
	close(): void;
};
