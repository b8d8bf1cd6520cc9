import {createParser} from 'eventsource-parser';
import {jsonLine} from '../../core/json.ts';

/** Messages of the control API's event stream: first the state, then batches of events. */
export type StreamedName = 'state' | 'events';

/** A parsed message: its value, or why it is unreadable, in words that quote nothing of it. */
export type StreamedMessage =
	| {readonly name: StreamedName; readonly value: unknown}
	| {readonly name?: StreamedName | undefined; readonly unreadable: string};

/** Longer messages are dropped, UTF-16 units. The largest state ever seen has half of that. */
const maxMessageLength = 64 * 1024 * 1024;

const messageEnd = '\n\n';

/** One message in the wire format of Server-Sent Events. @see HTML, Server-sent events, 9.2.5 */
export const streamMessage = (name: StreamedName, value: unknown): string =>
	`event: ${name}\ndata: ${jsonLine(value)}${messageEnd}`;

/**
 * Parses the messages of an event stream, in order, however its bytes are split into chunks. An unreadable message is yielded as such, and does not affect the next one; at
 * most `maxLength` characters are buffered. Rejects as the stream does.
 */
export async function* readEventStream(
	chunks: AsyncIterable<Uint8Array>,
	{maxLength = maxMessageLength}: {readonly maxLength?: number} = {},
): AsyncGenerator<StreamedMessage, void, undefined> {
	const decoder = new TextDecoder();
	let read: StreamedMessage[] = [];
	let isTooLong = false;
	/** The last character of dropped text: a message's end may be split between two chunks. */
	let dropped = '';
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent({event, data}) {
			read.push(messageOf(event, data));
		},
		onError({type}) {
			// The standard ignores other errors (9.2.6): a later version may add a field.
			if (type === 'max-buffer-size-exceeded') {
				isTooLong = true;
				read.push({unreadable: `it has more than ${maxLength} characters`});
			}
		},
	});

	for await (const chunk of chunks) {
		let text = decoder.decode(chunk, {stream: true});
		if (isTooLong) {
			text = dropped + text;
			const end = text.indexOf(messageEnd);
			if (end === -1) {
				dropped = text.slice(-1);
				continue;
			}

			isTooLong = false;
			parser.reset();
			text = text.slice(end + messageEnd.length);
		}

		parser.feed(text);
		dropped = text.slice(-1);
		yield* read;
		read = [];
	}
}

function messageOf(event: string | undefined, data: string): StreamedMessage {
	if (event !== 'state' && event !== 'events') {
		return {unreadable: 'it is neither a state nor events'};
	}

	try {
		return {name: event, value: JSON.parse(data)};
	} catch {
		// The parser's error would quote the text, which strangers wrote.
		return {name: event, unreadable: `its ${data.length} characters are no JSON`};
	}
}
