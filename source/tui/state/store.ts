import {createListeners} from '../../core/derive.ts';

/** A value that changes, with listeners. */
export type ValueStore<Value> = {
	readonly get: () => Value;
	/** Replaces the value; listeners are not called if it is the same. */
	readonly set: (update: (value: Value) => Value) => void;
	readonly subscribe: (listener: () => void) => () => void;
};

/** A store that tells its listeners at once: for everything a key did. */
export function createStore<Value>(initial: Value): ValueStore<Value> {
	let value = initial;
	const {tell, subscribe} = createListeners<[]>();
	return {
		get: () => value,
		set(update) {
			const next = update(value);
			if (Object.is(next, value)) {
				return;
			}

			value = next;
			tell();
		},
		subscribe,
	};
}
