import {streamedTokens, textBytesIn} from '../../core/bounds.ts';
import {isDeepJson, type JsonObject, isJsonObject, parsedJson} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {Sink} from '../chat/late-stream.ts';
import type {ChatUsage, FinishReason} from '../shapes/chat-shapes.ts';
import {createSafeDeltas} from './safe-deltas.ts';
import {createSseReader, SseTooLong} from './sse-reader.ts';
import {errorEvent, garbled} from './upstream-failure.ts';
import {countedUsage, createToolCallDeltas, finishReasonOf, sayingsOf} from './upstream-parts.ts';
import type {UpstreamReply} from './upstream.ts';

/** A streamed answer of a model's server. */
type Events = {
	/** Rejects with `ApiError`, also when the stream ends without a finish reason. */
	readonly done: Promise<{readonly finishReason: FinishReason}>;
	/** Estimated number of tokens passed on. */
	tokens(): number;
	/** The last usage counted by the server, and whether it covers the complete answer: earlier counts may cover only the first delta. */
	counted(): {readonly usage: ChatUsage | undefined; readonly isWhole: boolean};
};

/** Arguments of a call may contain a file. */
const maxEventChars = 4 * 1024 * 1024;

/** Passes on the events of an answer with back-pressure: reads the next one once the client has taken the last. */
export function readEvents({
	reply,
	sink,
	redact,
	onGrowth,
}: {
	readonly reply: UpstreamReply;
	readonly sink: Sink;
	readonly redact: Redact;
	/** Called before the answer grows to this many tokens, with what the server has counted so far; throwing ends the answer. */
	readonly onGrowth: (tokens: number, usage: ChatUsage | undefined) => void;
}): Events {
	const callDeltas = createToolCallDeltas();
	const reader = createSseReader(maxEventChars);
	let finishReason: FinishReason | undefined;
	let usage: ChatUsage | undefined;
	let isWhole = false;
	let isDone = false;
	let bytes = 0;
	let pieces = 0;
	const known = redact.known ?? redact;
	/** Resolve when the client has read the deltas sent so far; empty unless it reads slowly. */
	const waits: Array<Promise<void>> = [];
	const safe = createSafeDeltas(known, (delta, logprobs) => {
		const wait = sink.delta(delta, logprobs);
		if (wait) {
			waits.push(wait);
		}
	});

	const takeChoice = ({delta, finish_reason: reason, logprobs}: JsonObject) => {
		// Deltas after the end do not belong to the answer.
		if (isJsonObject(delta) && finishReason === undefined) {
			const said = sayingsOf(delta, callDeltas(delta['tool_calls']));
			if (Object.keys(said).length > 0) {
				const grown = bytes + bytesOf(said);
				onGrowth(streamedTokens(grown, pieces + 1), usage);
				bytes = grown;
				pieces++;
				safe.take(said, isJsonObject(logprobs) ? logprobs : undefined);
			}
		}

		if (typeof reason === 'string' && finishReason === undefined) {
			finishReason = finishReasonOf(reason);
			reply.hurry();
			safe.end();
		}
	};

	/** Passes on the deltas in an event. Without promises or generators: there is an event for each token. */
	const take = (data: string) => {
		const text = data.trim();
		if (text === '') {
			return;
		}

		if (text === '[DONE]') {
			isDone = true;
			return;
		}

		if (isDeepJson(text)) {
			throw garbled('a part of it is nested too deep');
		}

		const event = parsedJson(text);
		if (!isJsonObject(event)) {
			throw garbled('a part of it is no JSON object');
		}

		const {choices, error} = event;
		if (error !== undefined && error !== null) {
			throw errorEvent(error, redact);
		}

		const counted = countedUsage(event['usage'], known);
		usage = counted ?? usage;
		const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
		if (isJsonObject(choice)) {
			takeChoice(choice);
		}

		isWhole ||= counted !== undefined && finishReason !== undefined;
	};

	const takeParts = async () => {
		while (!isDone) {
			// oxlint-disable-next-line no-await-in-loop -- one part comes after the other
			const part = await reply.read();
			for (const event of part === undefined ? reader.end() : reader.push(part)) {
				take(event);
				if (waits.length > 0) {
					// oxlint-disable-next-line no-await-in-loop -- no faster than the client reads
					await Promise.all(waits.splice(0));
				}

				if (isDone) {
					return;
				}
			}

			isDone = part === undefined;
		}
	};

	const read = async () => {
		try {
			await takeParts();
		} catch (error) {
			await Promise.allSettled(waits);
			// The answer is complete: only the usage is missing.
			if (finishReason === undefined) {
				throw error instanceof SseTooLong ? garbled('a part of it has no end') : error;
			}
		}

		if (finishReason === undefined) {
			throw garbled('it ends in the middle');
		}

		return {finishReason};
	};

	return {
		done: read(),
		tokens: () => streamedTokens(bytes, pieces),
		counted: () => ({usage, isWhole}),
	};
}

const unsaid: ReadonlySet<string> = new Set(['id', 'type']);

/** Total size of its model-written texts, UTF-8 bytes. */
export const bytesOf = (said: JsonObject): number => textBytesIn(said, unsaid);
