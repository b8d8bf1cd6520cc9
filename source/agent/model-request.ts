import type {Dispatcher} from 'undici';
import {SvcError} from '../core/errors.ts';

/** The content of a request, and the signal that ends it. */
export type ModelQuestion = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly signal: AbortSignal;
};

/** An answer that has begun; read it to the end, or abort the signal. */
export type ModelReply = {
	readonly status: number;
	/** Reads a header by its lower-case name. */
	readonly header: (name: string) => string | null;
	/** What has arrived since the last read; `undefined` at the end. Reads only a little ahead. */
	read(): Promise<Buffer | undefined>;
};

/** How much is buffered ahead of the reader, bytes. */
const maxAheadBytes = 65_536;

/**
 * Posts to a model's server without the overhead of `fetch`: web streams would cost a relay more than its own work. Redirects are not followed, and nothing is
 * decompressed. Rejects with the network error, or the reason of the signal; so does `read`, and with `answer_too_large` beyond `maxBytes`.
 */
export async function postTo(
	dispatcher: Pick<Dispatcher, 'dispatch'>,
	url: string,
	{headers, body, signal, maxBytes}: ModelQuestion & {readonly maxBytes: number},
): Promise<ModelReply> {
	signal.throwIfAborted();
	const {origin, pathname, search} = new URL(url);
	const {promise: begun, resolve: begin, reject: refuse} = Promise.withResolvers<ModelReply>();
	const inbox = createInbox();
	let controller: Dispatcher.DispatchController | undefined;
	let seen = 0;
	const abort = () => {
		const {reason} = signal;
		controller?.abort(reason instanceof Error ? reason : new Error('Aborted'));
		fail(reason);
	};
	const fail = (error: unknown) => {
		signal.removeEventListener('abort', abort);
		refuse(error);
		inbox.fail(error);
	};

	signal.addEventListener('abort', abort, {once: true});
	dispatcher.dispatch(
		{
			origin,
			path: `${pathname}${search}`,
			method: 'POST',
			headers: {'user-agent': 'svc', 'accept-encoding': 'identity', ...headers},
			body,
		},
		{
			onRequestStart(started) {
				controller = started;
				if (signal.aborted) {
					abort();
				}
			},
			onResponseStart(_, status, received) {
				// An interim response such as 103.
				if (status < 200) {
					return;
				}

				begin({
					status,
					header(name) {
						const value = received[name];
						return typeof value === 'string' ? value : (value?.[0] ?? null);
					},
					read() {
						const part = inbox.take();
						if (controller?.paused) {
							controller.resume();
						}

						return part;
					},
				});
			},
			onResponseData(receiving, part) {
				seen += part.byteLength;
				if (seen > maxBytes) {
					const error = answerTooLarge(maxBytes);
					receiving.abort(error);
					fail(error);
				} else if (inbox.put(part) > maxAheadBytes) {
					receiving.pause();
				}
			},
			onResponseEnd() {
				signal.removeEventListener('abort', abort);
				inbox.end();
			},
			onResponseError: (_, error) => fail(error),
		},
	);
	return begun;
}

/** The answer exceeds the size limit. */
export const answerTooLarge = (maxBytes: number): SvcError =>
	new SvcError('answer_too_large', `Cannot read an answer of more than ${maxBytes} bytes`);

type Waiting = {
	readonly resolve: (part: Buffer | undefined) => void;
	readonly reject: (error: unknown) => void;
};

/** A buffer between the network and a reader that reads one part at a time. Buffered parts are delivered before a failure or the end. */
function createInbox() {
	let parts: Buffer[] = [];
	let bytes = 0;
	let waiting: Waiting | undefined;
	let end: {readonly error?: unknown; readonly isFailure: boolean} | undefined;

	const finish = (ending: NonNullable<typeof end>) => {
		if (end) {
			return;
		}

		end = ending;
		if (ending.isFailure) {
			waiting?.reject(ending.error);
		} else {
			waiting?.resolve(undefined);
		}

		waiting = undefined;
	};

	return {
		/** Returns how many bytes are waiting for the reader. */
		put(part: Buffer): number {
			if (waiting) {
				waiting.resolve(part);
				waiting = undefined;
				return 0;
			}

			parts.push(part);
			bytes += part.byteLength;
			return bytes;
		},
		take(): Promise<Buffer | undefined> {
			const [only] = parts;
			if (only) {
				const all = parts.length === 1 ? only : Buffer.concat(parts, bytes);
				parts = [];
				bytes = 0;
				return Promise.resolve(all);
			}

			return new Promise((resolve, reject) => {
				if (end?.isFailure) {
					reject(end.error);
				} else if (end) {
					resolve(undefined);
				} else {
					waiting = {resolve, reject};
				}
			});
		},
		end: () => finish({isFailure: false}),
		fail: (error: unknown) => finish({error, isFailure: true}),
	};
}
