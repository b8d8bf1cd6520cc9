/**
 * Returns `make()`, or its last result while no input has changed. For costly layouts. Inputs are held weakly,
 * so that the thousands of rows of a closed pane can be garbage-collected.
 */
export type Memoize<Value> = (inputs: readonly unknown[], make: () => Value) => Value;

/** Memoises `make` in a `WeakMap`: one value for each `of`, computed again when one of the `others` has changed. */
export function derive<Of extends object, Others extends readonly unknown[], Value>(
	make: (of: Of, ...others: Others) => Value,
): (of: Of, ...others: Others) => Value {
	const known = new WeakMap<Of, {readonly others: Others; readonly value: Value}>();
	return (of, ...others) => {
		const last = known.get(of);
		if (last?.others.every((other, index) => Object.is(other, others[index]))) {
			return last.value;
		}

		const value = make(of, ...others);
		known.set(of, {others, value});
		return value;
	};
}

/** Memoises `make` in a `WeakMap` by `of`. */
export function oncePer<Of extends object, Value extends object>(
	make: (of: Of) => Value,
): (of: Of) => Value {
	const known = new WeakMap<Of, Value>();
	return of => {
		const last = known.get(of);
		if (last) {
			return last;
		}

		const value = make(of);
		known.set(of, value);
		return value;
	};
}

/** Creates a memo of one value: the last. */
export function createMemory<Value>(): Memoize<Value> {
	let last: {readonly inputs: readonly Held[]; readonly value: Value} | undefined;
	return (inputs, make) => {
		const isKnown =
			last?.inputs.length === inputs.length &&
			inputs.every((input, index) => Object.is(input, inputOf(last?.inputs[index])));
		if (!last || !isKnown) {
			last = {inputs: inputs.map(hold), value: make()};
		}

		return last.value;
	};
}

/** An input: objects are held weakly. */
type Held = {readonly weak: WeakRef<object>} | {readonly own: unknown};

const hold = (input: unknown): Held =>
	typeof input === 'object' && input !== null ? {weak: new WeakRef(input)} : {own: input};

/** Replaces a garbage-collected object; equals no input. */
const gone = Symbol('gone');

function inputOf(held: Held | undefined): unknown {
	if (held === undefined) {
		return gone;
	}

	return 'weak' in held ? (held.weak.deref() ?? gone) : held.own;
}

/** Subscribers to one kind of notification. */
export type Listeners<Heard extends readonly unknown[]> = {
	/** Calls all listeners synchronously; none may throw. */
	readonly tell: (...heard: Heard) => void;
	/** Calls `listener` at each `tell` until the returned function is called. A listener that was subscribed twice is called twice. */
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
