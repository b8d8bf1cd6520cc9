export type Handlers<Value> = {
	/** Returns the way out. */
	readonly add: (handler: (value: Value) => boolean) => () => void;
	/** Asks in order of subscription until one says `true`; whether one did. */
	readonly ask: (value: Value) => boolean;
};

/** A list of handlers of which the first that takes a value ends the round. One may come or go while a round is on. */
export function createHandlers<Value>(): Handlers<Value> {
	let handlers: ReadonlyArray<{readonly handle: (value: Value) => boolean}> = [];
	return {
		add(handle) {
			const entry = {handle};
			handlers = [...handlers, entry];
			return () => {
				handlers = handlers.filter(other => other !== entry);
			};
		},
		ask: value => handlers.some(({handle}) => handle(value)),
	};
}
