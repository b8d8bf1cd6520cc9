import {setImmediate as turn} from 'node:timers/promises';
import type {LanguageModelMiddleware} from 'ai';
import {SvcError} from '../core/errors.ts';
import {type SafeText, gatherParts} from './gather-parts.ts';
import {type AskedModel, nameModel} from './model-fetch.ts';
import type {Generated, StreamPart} from './providers.ts';
import type {AgentRequest} from './runner.ts';

type Streamed = Awaited<ReturnType<Parameters<Streaming>[0]['doStream']>>;
type Streaming = NonNullable<LanguageModelMiddleware['wrapGenerate']>;

/**
 * Makes each call of the model stream: `text` receives deltas, merged per read of the socket, with back-pressure. The loop gets the answer only when complete, so that no
 * tool starts from an answer that breaks off. After text was passed on, a failure is not retried.
 *
 * A server that answers a streaming request with JSON, or refuses streams, is asked once more without streaming.
 */
export const streamAnswer = (
	asked: AskedModel,
	{
		text,
		explain,
		onGrowth,
	}: {
		/** Receives text deltas. */
		readonly text: SafeText;
		readonly onGrowth: AgentRequest['onGrowth'];
		/** Converts a failure within the stream. */
		readonly explain: (error: unknown) => SvcError;
	},
): LanguageModelMiddleware => ({
	specificationVersion: 'v4',
	async wrapGenerate({doGenerate, doStream, params}) {
		const signal = params.abortSignal;
		let streamed: Streamed;
		try {
			streamed = await doStream();
		} catch (error) {
			if (!refusesStreams(error)) {
				throw error;
			}

			return doGenerate();
		}

		if (isJson(streamed.response?.headers)) {
			await streamed.stream.cancel();
			return doGenerate();
		}

		let passedOn = false;
		text.begin();
		const gathered = gatherParts();
		try {
			await pump(streamed.stream, {
				take(part) {
					if (onGrowth && 'delta' in part && part.delta !== '') {
						onGrowth(Buffer.byteLength(part.delta));
					}

					return gathered.take(part);
				},
				async onText(delta) {
					signal?.throwIfAborted();
					passedOn = true;
					await text.add(delta);
				},
			});
			await text.end();
		} catch (error) {
			signal?.throwIfAborted();
			throw passedOn ? explain(error) : error;
		}

		const generated: Generated | undefined = gathered.whole();
		if (!generated) {
			throw new SvcError(
				'model_garbled',
				`Cannot read the answer of ${nameModel(asked)}: it ended in the middle`,
			);
		}

		return {
			...generated,
			...(streamed.request && {request: streamed.request}),
			response: {...generated.response, ...streamed.response},
		};
	},
});

/** Reads parts to the end. Text is passed on when no more is immediately available. A failure closes the stream and its connection. */
async function pump(
	stream: ReadableStream<StreamPart>,
	{
		take,
		onText,
	}: {
		/** Returns the text that the part adds to the answer. @throws the error of an error part */
		readonly take: (part: StreamPart) => string;
		readonly onText: (delta: string) => Promise<void>;
	},
): Promise<void> {
	const reader = stream.getReader();
	let text = '';
	let pause: Promise<undefined> | undefined;
	let next = reader.read();
	try {
		for (;;) {
			if (text !== '') {
				pause ??= turn(undefined);
			}

			// oxlint-disable-next-line no-await-in-loop -- sequential parts
			const part = await (pause ? Promise.race([next, pause]) : next);
			if (part?.done === false) {
				text += take(part.value);
				next = reader.read();
				continue;
			}

			pause = undefined;
			if (text !== '') {
				const delta = text;
				text = '';
				// oxlint-disable-next-line no-await-in-loop -- back-pressure of the reader
				await onText(delta);
			}

			if (part) {
				return;
			}
		}
	} catch (error) {
		next.catch(() => {});
		reader.cancel(error).catch(() => {});
		throw error;
	}
}

const statusOf = (error: unknown): unknown =>
	error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;

/** Whether a server refuses the request because of streaming: it mentions it, and no other request has that. */
const refusesStreams = (error: unknown): boolean =>
	[400, 404, 405, 415, 422, 501].includes(Number(statusOf(error))) &&
	error instanceof Error &&
	/\bstream/i.test(error.message);

const isJson = (headers: Readonly<Record<string, string>> | undefined): boolean =>
	/^application\/json\b/i.test(headers?.['content-type'] ?? '');
