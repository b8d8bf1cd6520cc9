/**
 * `make()`, or what it made last time when none of `inputs` changed. For texts that are costly to lay out. It lets go of what it was given:
 * what a pane showed last, thousands of rows, must not stay until the pane is opened again.
 */
export type Memory<Value> = (inputs: readonly unknown[], make: () => Value) => Value;

/** What `make` gives, made once for each `of` for as long as that is held; anew when one of the `others` changed, which are held with it. */
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

/** What `make` gives, made once for each `of` for as long as that is held. */
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

/** Remembers the last value alone. */
export function createMemory<Value>(): Memory<Value> {
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

/** An object only for as long as somebody else has it. */
type Held = {readonly weak: WeakRef<object>} | {readonly own: unknown};

const hold = (input: unknown): Held =>
	typeof input === 'object' && input !== null ? {weak: new WeakRef(input)} : {own: input};

/** Equal to no input, once nobody has it any more. */
const gone = Symbol('gone');

function inputOf(held: Held | undefined): unknown {
	if (held === undefined) {
		return gone;
	}

	return 'weak' in held ? (held.weak.deref() ?? gone) : held.own;
}
