/**
 * Counts work under way, so that "nothing is happening" is a fact and not a guess: work is counted before it starts. Tests and
 * the drain wait for it instead of sleeping.
 */
export type Busy = {
	/** Counts one piece of work until the returned function is called (more calls do nothing). */
	begin(): () => void;
	/** Resolves at the next moment without work; at once when there is none. */
	idle(): Promise<void>;
	readonly count: number;
};

export function createBusy(): Busy {
	let count = 0;
	let waiting: Array<() => void> = [];
	return {
		begin() {
			let ended = false;
			count++;
			return () => {
				if (ended) {
					return;
				}

				ended = true;
				count--;
				if (count === 0) {
					const resolvers = waiting;
					waiting = [];
					for (const resolve of resolvers) {
						resolve();
					}
				}
			};
		},
		async idle() {
			if (count > 0) {
				await new Promise<void>(resolve => {
					waiting.push(resolve);
				});
			}
		},
		get count() {
			return count;
		},
	};
}
