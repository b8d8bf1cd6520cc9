/**
 * Lets the answers of one turn of the event loop leave in a burst. The reader on this machine, a proxy most of all, is woken by the first and
 * still busy when the others come; waking it for each costs more than deciding about an ignored event. Answers that a commit has held back come in a
 * burst of their own, when the outbox is closed.
 */
export function createOutbox() {
	let waiting: Array<() => void> | undefined;
	const flush = () => {
		const answers = waiting ?? [];
		waiting = undefined;
		for (const answer of answers) {
			answer();
		}
	};

	return {
		/** A request has come: answers that are ready within this turn leave together, at its end. */
		open() {
			if (!waiting) {
				waiting = [];
				setImmediate(flush);
			}
		},
		/** Sends at the end of the turn while the outbox is open, else at once. */
		send(answer: () => void) {
			if (waiting) {
				waiting.push(answer);
			} else {
				answer();
			}
		},
	};
}
