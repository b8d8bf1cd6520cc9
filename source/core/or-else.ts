/** What `make` returns, or `fallback` when it throws: for what may not be there, whatever the reason. */
export function orElse<Value>(make: () => Value, fallback: Value): Value {
	try {
		return make();
	} catch {
		return fallback;
	}
}
