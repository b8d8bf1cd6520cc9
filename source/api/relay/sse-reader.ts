/** An event is larger than the limit. */
export class SseTooLong extends Error {
	override readonly name = 'SseTooLong';
}

/**
 * Parses server-sent events: lines ending with LF or CRLF, split anywhere, and events with several `data` lines. Comments, other fields and invalid lines are dropped. An
 * event may have `maxChars` at most.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createSseReader(maxChars: number) {
	/** Parts of an unfinished line, joined once it ends: appending would copy a long line for each small part. */
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
		/** Returns the data of each event completed by `part`. @throws SseTooLong */
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
		/** Returns the data of an unterminated last event. */
		end(): readonly string[] {
			const last = take().join('').replace(/\r$/, '');
			return [takeLine(last), takeLine('')].filter(event => event !== undefined);
		},
	};
}
