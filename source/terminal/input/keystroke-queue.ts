export type KeystrokeQueue<Entry> = {
	/** Handles `entry` at once, or after those before it. What comes when 10,000 wait is dropped. */
	readonly add: (entry: Entry) => void;
	/** Whether something waits, or the turn of the last one is not over. */
	readonly busy: () => boolean;
	/** Drops what waits. */
	readonly clear: () => void;
};

const maxWaiting = 10_000;

/**
 * Handles entries one after the other, the first one now, with two turns of the event loop in between: React draws what one did
 * in the first at the latest. Handled together, `jj` would move one row and `abc` would type `c`. It also lets the gateway
 * answer during a flood of keys.
 */
export function createKeystrokeQueue<Entry>(handle: (entry: Entry) => void): KeystrokeQueue<Entry> {
	let waiting: Entry[] = [];
	let turn: NodeJS.Immediate | undefined;

	const take = (entry: Entry) => {
		turn = setImmediate(() => {
			turn = setImmediate(next);
		});
		handle(entry);
	};

	const next = () => {
		turn = undefined;
		const entry = waiting.shift();
		if (entry !== undefined) {
			take(entry);
		}
	};

	return {
		add(entry) {
			if (!turn) {
				take(entry);
			} else if (waiting.length < maxWaiting) {
				waiting.push(entry);
			}
		},
		busy: () => turn !== undefined,
		clear() {
			waiting = [];
			clearImmediate(turn);
			turn = undefined;
		},
	};
}
