/** Turns of the event loop that work waits through while each of them brings more: requests that came while others were read share their sync. */
const maxTurns = 4;

/**
 * Calls `flush` at the end of a turn of the event loop that brought no more, at the latest of the fourth, or when `most` wait. One alone waits for nobody.
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

	return {
		/** Does nothing when a flush is planned already. */
		plan() {
			if (!planned) {
				planned = true;
				afterTurn(0, maxTurns);
			}
		},
	};
}
