/** Those who hear of something. */
export type Listeners<Heard extends readonly unknown[]> = {
	/** Tells all of them now; none may throw. */
	readonly tell: (...heard: Heard) => void;
	/** Tells `listener` from now on, until the way out is called. One that is given twice is told twice. */
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
