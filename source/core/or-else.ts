/** The result of `make`, or `fallback` when it throws: for optional things that may be missing for any reason. */
export function orElse<Value>(make: () => Value, fallback: Value): Value {
	try {
		return make();
	} catch {
		return fallback;
	}
}
