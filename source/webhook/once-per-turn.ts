/**
 * `ask`, called at most once in a turn of the event loop; whoever asks again in the same turn gets the same answer. Requests that are read
 * in one turn had all arrived before the first of them asked, so none of them misses a change that was made before it was sent.
 */
export function oncePerTurn<Answer>(ask: () => Answer): () => Answer {
	let known: {readonly answer: Answer} | undefined;
	return () => {
		if (!known) {
			known = {answer: ask()};
			setImmediate(() => {
				known = undefined;
			});
		}

		return known.answer;
	};
}
