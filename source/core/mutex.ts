/** Runs `task` when those of earlier calls have ended, whether they succeeded or not. Rejects as `task` does. */
export type Mutex = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** One task at a time, in the order of the calls. */
export function createMutex(): Mutex {
	let last: Promise<unknown> = Promise.resolve();
	return async task => {
		const mine = last.then(task);
		// Those behind wait for the end of this task, not for its success.
		last = mine.catch(() => {});
		return mine;
	};
}
