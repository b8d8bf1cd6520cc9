/** `make()`, or what it made last time when none of `inputs` changed. For texts that are costly to lay out. */
export function createMemory<Value>(): (inputs: readonly unknown[], make: () => Value) => Value {
	let last: {readonly inputs: readonly unknown[]; readonly value: Value} | undefined;
	return (inputs, make) => {
		const isKnown =
			last?.inputs.length === inputs.length &&
			inputs.every((input, index) => Object.is(input, last?.inputs[index]));
		if (!last || !isKnown) {
			last = {inputs, value: make()};
		}

		return last.value;
	};
}
