import type {Clock} from '../../core/clock.ts';
import type {MessageId} from './remote-transport.ts';
import {type StreamWatch, watchStreams} from './stream-watch.ts';
import {lostAnswer, tooLargeAnswer} from './synthetic-errors.ts';

type LocalAnswer = ReturnType<typeof lostAnswer>;

/** The calls of one connection that have no answer yet. `answer` gets one in the server's stead when the stream was lost, or an event was above the limit. */
export function createOpenCalls({
	clock,
	answer,
}: {
	readonly clock: Clock;
	readonly answer: (message: LocalAnswer) => void;
}) {
	const calls = new Map<MessageId, {readonly abort: AbortController; readonly watch: Disposable}>();

	/** `undefined` when the call was answered already. */
	const take = (id: MessageId) => {
		const call = calls.get(id);
		calls.delete(id);
		call?.watch[Symbol.dispose]();
		return call;
	};

	const end = (message: LocalAnswer) => {
		const call = take(message.id);
		if (call) {
			answer(message);
			call.abort.abort();
		}
	};

	return {
		/** A request is about to be sent. `signal` aborts what it still has open when it is answered here, or withdrawn. */
		open(id: MessageId): {readonly watch: StreamWatch; readonly signal: AbortSignal} {
			const abort = new AbortController();
			const watch = watchStreams({
				clock,
				onLost: () => end(lostAnswer(id)),
				onTooLarge: () => end(tooLargeAnswer(id)),
			});
			calls.set(id, {abort, watch});
			return {watch, signal: abort.signal};
		},
		/** Its answer has come, or its caller has gone. */
		forget: (id: MessageId): unknown => take(id),
		/** Its caller has gone: its connection is let go. */
		withdraw: (id: MessageId): void => take(id)?.abort.abort(),
		/** No stream is left that its answer could come by. */
		lose: (id: MessageId): void => end(lostAnswer(id)),
		[Symbol.dispose]() {
			for (const id of calls.keys()) {
				take(id);
			}
		},
	};
}
