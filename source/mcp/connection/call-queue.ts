/** Runs tasks one after the other, in the order they came. */
export type CallQueue = ReturnType<typeof createCallQueue>;

/** A queue for `concurrency` tasks at once. */
export function createCallQueue(concurrency: number) {
	const waiting: Array<() => void> = [];
	let running = 0;

	const enter = async (signal: AbortSignal): Promise<void> => {
		signal.throwIfAborted();
		if (running < concurrency) {
			running++;
			return;
		}

		await new Promise<void>((resolve, reject) => {
			const start = () => {
				signal.removeEventListener('abort', leave);
				resolve();
			};

			const leave = () => {
				waiting.splice(waiting.indexOf(start), 1);
				reject(signal.reason);
			};

			waiting.push(start);
			signal.addEventListener('abort', leave, {once: true});
		});
	};

	return {
		/** Resolves with what `task` does, when those before it are done. A task whose `signal` aborts while it waits never starts: rejects with the reason. */
		async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
			await enter(signal);
			try {
				return await task();
			} finally {
				// The next task takes the place over, so that no other can step in between.
				const next = waiting.shift();
				if (next) {
					next();
				} else {
					running--;
				}
			}
		},
	};
}
