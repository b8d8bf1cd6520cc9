/** Runs tasks in order of arrival. */
export type CallQueue = ReturnType<typeof createCallQueue>;

/** A queue that runs up to `concurrency` tasks at once. */
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
		/**
		 * Runs `task` when earlier ones are done, and resolves with its result. If `signal` aborts while the task waits, it never starts, and the promise rejects
		 * with the reason.
		 */
		async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
			await enter(signal);
			try {
				return await task();
			} finally {
				// Passes the slot on to the next task, so that no newcomer can take it.
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
