import type {Host} from '../shell/shell.ts';
import {createThrottle} from '../state/throttle.ts';

/** Bells are at least so far apart. */
const ringMs = 10_000;

/** Rings once for each new request from when `from` settles on, and not more often than every ten seconds. Returns the way out. */
export function ringBellForApprovals(
	{feed, clock, desktop}: Host,
	from?: Promise<void>,
): () => void {
	const throttle = createThrottle(
		clock,
		() => ringMs,
		() => desktop.ring(),
	);
	let newest = 0;
	let isQuiet = from !== undefined;
	const look = () => {
		if (isQuiet) {
			return;
		}

		const latest = feed.get().state.approvals.at(-1)?.id ?? 0;
		if (latest > newest) {
			newest = latest;
			throttle.ask();
		}
	};

	look();
	const unsubscribe = feed.subscribe(look);
	let hasEnded = false;
	// One that waits then rings.
	void from?.then(
		() => {
			isQuiet = hasEnded;
			look();
			return undefined;
		},
		() => undefined,
	);
	return () => {
		hasEnded = true;
		unsubscribe();
		throttle[Symbol.dispose]();
	};
}
