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
 * Lets each call of the model stream: `text` gets what it says as it comes, what came in one read of the socket at once, and is awaited, so that a slow reader slows the model down. The loop
 * gets the answer when it is whole, so that no tool starts of an answer that breaks off. Where text was passed on already, a failure is not tried again.
 *
 * A server that answers a request for a stream with JSON, or refuses streams, is asked once more without.
 */
export const streamAnswer = (
	asked: AskedModel,
	{
		text,
		explain,
		onGrowth,
	}: {
		/** Gets it as it comes. */
		readonly text: SafeText;
		readonly onGrowth: AgentRequest['onGrowth'];
		/** What a failure in the middle means. */
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

/** Reads parts to their end. Text is handed on when nothing more of it is there yet. A failure closes the stream, and with it the connection. */
async function pump(
	stream: ReadableStream<StreamPart>,
	{
		take,
		onText,
	}: {
		/** The text that the part adds to the answer. @throws what an error part carries */
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

			// oxlint-disable-next-line no-await-in-loop -- one part after the other
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

/** Says of a request that it is wrong, and names what no other request has. */
const refusesStreams = (error: unknown): boolean =>
	[400, 404, 405, 415, 422, 501].includes(Number(statusOf(error))) &&
	error instanceof Error &&
	/\bstream/i.test(error.message);

const isJson = (headers: Readonly<Record<string, string>> | undefined): boolean =>
	/^application\/json\b/i.test(headers?.['content-type'] ?? '');
