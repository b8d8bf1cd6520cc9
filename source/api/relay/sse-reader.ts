/** An event that does not end. */
export class SseTooLong extends Error {
	override readonly name = 'SseTooLong';
}

/**
 * Reads server-sent events: lines that end with LF or CRLF, cut anywhere, and several `data` lines of one event. Comments,
 * other fields and invalid lines are dropped. At most `maxChars` of an event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createSseReader(maxChars: number) {
	/** Of a line that has no end yet, joined when it has: a long one that comes in small pieces would be copied with each of them. */
	let pending: string[] = [];
	let pendingChars = 0;
	let data: string[] = [];
	let chars = 0;

	const count = (more: number) => {
		chars += more;
		if (chars + pendingChars > maxChars) {
			throw new SseTooLong('The event has no end');
		}
	};

	const take = (): readonly string[] => {
		const taken = pending;
		pending = [];
		pendingChars = 0;
		return taken;
	};

	const takeLine = (line: string): string | undefined => {
		if (line === '') {
			const event = data.length > 0 ? data.join('\n') : undefined;
			data = [];
			chars = 0;
			return event;
		}

		if (line === 'data' || line.startsWith('data:')) {
			const value = line.slice('data:'.length);
			const text = value.startsWith(' ') ? value.slice(1) : value;
			data.push(text);
			count(text.length + 1);
		}

		return undefined;
	};

	return {
		/** The data of each event that is whole now. @throws SseTooLong */
		push(part: string): readonly string[] {
			if (!part.includes('\n')) {
				if (part !== '') {
					pending.push(part);
					pendingChars += part.length;
					count(0);
				}

				return [];
			}

			const text = [...take(), part].join('');
			const events: string[] = [];
			let from = 0;
			for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
				const end = at > from && text[at - 1] === '\r' ? at - 1 : at;
				const event = takeLine(text.slice(from, end));
				if (event !== undefined) {
					events.push(event);
				}

				from = at + 1;
			}

			pending.push(text.slice(from));
			pendingChars = text.length - from;
			count(0);
			return events;
		},
		/** What was left without an end. */
		end(): readonly string[] {
			const last = take().join('').replace(/\r$/, '');
			return [takeLine(last), takeLine('')].filter(event => event !== undefined);
		},
	};
}
