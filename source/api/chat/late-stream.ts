import type {Clock} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import type {ApiError} from '../http/api-error.ts';
import type {EventStream} from '../http/event-stream.ts';
import type {ChatAnswer, ChatChunks} from '../shapes/chat-shapes.ts';

/** Receives the deltas of an answer. */
export type Sink = {
	/** Returns a promise that resolves when more may be passed on (back-pressure), or `undefined` when that is at once. */
	delta(delta: JsonObject, logprobs?: JsonObject): Promise<void> | undefined;
	progress(svc: JsonObject): Promise<void>;
};

/** A streamed answer that begins with the first delta: until then, a failure can still have an HTTP status. */
export type LateStream = Sink & {
	readonly hasBegun: boolean;
	finish(answer: ChatAnswer): Promise<void>;
	/** Ends a stream that has begun with an error. */
	fail(error: ApiError): Promise<void>;
	[Symbol.dispose](): void;
};

/** Time after which the stream begins without a first delta: proxies cut silent connections. */
const beginMs = 5000;

/** A stream that is opened when first needed, or after five seconds. @param greet writes the beginning of the stream, before everything else */
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

/** A streamed answer of chunks. */
export function createLateStream({
	chunks,
	includesUsage,
	...opening
}: StreamOpening & {
	readonly chunks: ChatChunks;
	/** Whether the last chunk reports usage. */
	readonly includesUsage: boolean;
}): LateStream {
	const {hasBegun, begin, cancel} = openLate(opening, stream => {
		stream.keepAlive(() => ({data: chunks.delta({})}));
		// The first chunk of all; not awaited, since the next write waits for it.
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
