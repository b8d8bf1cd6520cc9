import {createParser} from 'eventsource-parser';
import {jsonLine} from '../../core/json.ts';

/** What the control API's event stream sends: the state first, then batches of events. */
export type StreamedName = 'state' | 'events';

/** What came of one message: its value, or why there is none, in words that hold nothing of it. */
export type StreamedMessage =
	| {readonly name: StreamedName; readonly value: unknown}
	| {readonly name?: StreamedName | undefined; readonly unreadable: string};

/** Above this a message is dropped, UTF-16 units. The largest state that anybody saw has half of it. */
const maxMessageLength = 64 * 1024 * 1024;

const messageEnd = '\n\n';

/** One message as Server-Sent Events have it, on the wire. @see HTML, Server-sent events, 9.2.5 */
export const streamMessage = (name: StreamedName, value: unknown): string =>
	`event: ${name}\ndata: ${jsonLine(value)}${messageEnd}`;

/**
 * The messages of such a stream, in order, however its bytes are cut. What cannot be read is a message that says so, and the next one is read as if nothing had been;
 * at most `maxLength` characters are held. Rejects as the stream does.
 */
export async function* readEventStream(
	chunks: AsyncIterable<Uint8Array>,
	{maxLength = maxMessageLength}: {readonly maxLength?: number} = {},
): AsyncGenerator<StreamedMessage, void, undefined> {
	const decoder = new TextDecoder();
	let read: StreamedMessage[] = [];
	let isTooLong = false;
	/** The last character of what was thrown away: the message may end in the middle of two chunks. */
	let dropped = '';
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent({event, data}) {
			read.push(messageOf(event, data));
		},
		onError({type}) {
			// What else the parser tells of is ignored by the standard (9.2.6): a later version may add a field.
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
		// The words of the parser quote what it found, which strangers wrote.
		return {name: event, unreadable: `its ${data.length} characters are no JSON`};
	}
}
