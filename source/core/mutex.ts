import {type Clock, once} from './clock.ts';

/** Runs `task` after the tasks of earlier calls have settled. Rejects as `task` does. */
type Mutex = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** A mutex: runs one task at a time, in the order of the calls. */
export function createMutex(): Mutex {
	let last: Promise<unknown> = Promise.resolve();
	return async task => {
		const mine = last.then(task);
		// Later tasks run even if this one fails.
		last = mine.catch(() => {});
		return mine;
	};
}

/**
 * Returns a function that runs `task`. All calls that wait while it runs share one further run, and each call settles as the run that began after it.
 * `oneByOne`: a mutex, to exclude other tasks as well.
 */
export function createRepeat<Result>(
	task: () => Promise<Result>,
	oneByOne = createMutex(),
): () => Promise<Result> {
	let next: Promise<Result> | undefined;
	return async () =>
		(next ??= oneByOne(async () => {
			next = undefined;
			return task();
		}));
}

export type KeyedMutex = {
	/**
	 * Runs `task` after the earlier tasks of the same `key`. Resolves to `undefined`
	 * without running it when too many wait for that key already. Rejects as `task` does.
	 */
	runExclusive<Result>(key: string, task: () => Promise<Result>): Promise<Result | undefined>;
};

/** Runs one task per key at a time. A key without tasks takes no memory. */
export function createKeyedMutex(maxWaiting = Infinity): KeyedMutex {
	const lines = new Map<string, {readonly run: Mutex; length: number}>();

	return {
		async runExclusive(key, task) {
			const line = lines.get(key) ?? {run: createMutex(), length: 0};
			if (line.length > maxWaiting) {
				return undefined;
			}

			lines.set(key, line);
			line.length += 1;
			try {
				return await line.run(task);
			} finally {
				line.length -= 1;
				if (line.length === 0) {
					lines.delete(key);
				}
			}
		},
	};
}

type Semaphore = {
	/** Resolves to the function that releases the slot, once one is free; to `undefined` when too many wait, after `waitMs`, or when `signal` aborts. */
	take(waitMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
};

/** A semaphore with `count` slots and at most `maxWaiting` waiting callers, served in order. */
export function createSemaphore(
	clock: Clock,
	{count, maxWaiting}: {readonly count: number; readonly maxWaiting: number},
): Semaphore {
	let taken = 0;
	const waiting: Array<(release: () => void) => void> = [];

	const release = () => {
		const next = waiting.shift();
		if (next) {
			next(once(release));
		} else {
			taken -= 1;
		}
	};

	return {
		async take(waitMs, signal) {
			if (signal.aborted) {
				return undefined;
			}

			if (taken < count) {
				taken += 1;
				return once(release);
			}

			if (waiting.length >= maxWaiting) {
				return undefined;
			}

			return new Promise(resolve => {
				const leave = () => {
					waiting.splice(waiting.indexOf(enter), 1);
					settle(undefined);
				};
				const enter = (give: () => void) => settle(give);
				const settle = (give: (() => void) | undefined) => {
					cancel();
					signal.removeEventListener('abort', leave);
					resolve(give);
				};

				const cancel = clock.after(waitMs, leave);
				signal.addEventListener('abort', leave, {once: true});
				waiting.push(enter);
			});
		},
	};
}
