/** Subscribers to one kind of notification. */
export type Listeners<Heard extends readonly unknown[]> = {
	/** Calls all listeners now; none may throw. */
	readonly tell: (...heard: Heard) => void;
	/** Calls `listener` from now on, until the returned function is called. A listener subscribed twice is called twice. */
	readonly subscribe: (listener: (...heard: Heard) => void) => () => void;
};

export function createListeners<Heard extends readonly unknown[]>(): Listeners<Heard> {
	const all = new Set<{readonly listener: (...heard: Heard) => void}>();
	return {
		tell(...heard) {
			for (const {listener} of all) {
				listener(...heard);
			}
		},
		subscribe(listener) {
			const one = {listener};
			all.add(one);
			return () => {
				all.delete(one);
			};
		},
	};
}
