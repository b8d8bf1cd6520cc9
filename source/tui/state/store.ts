/** A value that changes, and who wants to know. */
export type ValueStore<Value> = {
	readonly get: () => Value;
	/** Replaces the value; listeners are not called if it is the same. */
	readonly set: (update: (value: Value) => Value) => void;
	readonly subscribe: (listener: () => void) => () => void;
};

/** A store that tells its listeners at once: for everything a key did. */
export function createStore<Value>(initial: Value): ValueStore<Value> {
	let value = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => value,
		set(update) {
			const next = update(value);
			if (Object.is(next, value)) {
				return;
			}

			value = next;
			for (const listener of listeners) {
				listener();
			}
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}
