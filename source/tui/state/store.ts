import {createListeners} from '../../core/derive.ts';

/** A mutable value with listeners. */
export type ValueStore<Value> = {
	readonly get: () => Value;
	/** Replaces the value; setting the same value does not notify listeners. */
	readonly set: (update: (value: Value) => Value) => void;
	readonly subscribe: (listener: () => void) => () => void;
};

/** A store that notifies listeners synchronously: for everything that keys change. */
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
