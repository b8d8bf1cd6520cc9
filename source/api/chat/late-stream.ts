import type {Clock} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import type {ApiError} from '../http/api-error.ts';
import type {EventStream} from '../http/event-stream.ts';
import type {ChatAnswer, ChatChunks} from '../shapes/chat-shapes.ts';

/** Where the words of an answer go as they come. */
export type Sink = {
	/** The promise: more may be passed on once it resolves; without one, at once. */
	delta(delta: JsonObject, logprobs?: JsonObject): Promise<void> | undefined;
	progress(svc: JsonObject): Promise<void>;
};

/** An answer as a stream that begins with its first word: until then, a failure still has a status of its own. */
export type LateStream = Sink & {
	readonly hasBegun: boolean;
	finish(answer: ChatAnswer): Promise<void>;
	/** Ends it with an error. To be called when it has begun. */
	fail(error: ApiError): Promise<void>;
	[Symbol.dispose](): void;
};

/** A client that waits longer for a first word gets the beginning of the stream; proxies cut connections that are silent. */
const beginMs = 5000;

/** A stream that is opened when it is first asked for, or after five seconds. @param greet what it begins with: written at once, before all else */
export function openLate({clock, open}: StreamOpening, greet: (stream: EventStream) => void) {
	let stream: EventStream | undefined;
	const begin = (): EventStream => {
		if (!stream) {
			stream = open();
			greet(stream);
		}

		return stream;
	};

	const cancel = clock.after(beginMs, begin);
	return {hasBegun: () => stream !== undefined, begin, cancel};
}

export type StreamOpening = {readonly clock: Clock; readonly open: () => EventStream};

/** An answer of chunks. */
export function createLateStream({
	chunks,
	includesUsage,
	...opening
}: StreamOpening & {
	readonly chunks: ChatChunks;
	/** Whether the last of them tells what was used. */
	readonly includesUsage: boolean;
}): LateStream {
	const {hasBegun, begin, cancel} = openLate(opening, stream => {
		stream.keepAlive(() => ({data: chunks.delta({})}));
		// It is the first of all; the next write waits for it.
		void stream.send(chunks.delta({role: 'assistant', content: ''}));
	});

	return {
		get hasBegun() {
			return hasBegun();
		},
		delta: (delta, logprobs) => begin().send(chunks.delta(delta, logprobs)),
		progress: async svc => begin().send(chunks.progress(svc)),
		async finish({finishReason, usage}) {
			const begun = begin();
			await begun.send(chunks.finish(finishReason));
			if (includesUsage) {
				await begun.send(chunks.usage(usage));
			}

			await begun.send('[DONE]');
			begun.end();
		},
		async fail(error) {
			const begun = begin();
			await begun.send(JSON.stringify({error: error.body}));
			begun.end();
		},
		[Symbol.dispose]: cancel,
	};
}
