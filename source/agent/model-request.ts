import type {Dispatcher} from 'undici';
import {SvcError} from '../core/errors.ts';

/** What is asked, and how it is ended. */
export type ModelQuestion = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly signal: AbortSignal;
};

/** An answer that has begun; it is read to its end, or given up by the signal. */
export type ModelReply = {
	readonly status: number;
	/** By its name in small letters. */
	readonly header: (name: string) => string | null;
	/** What has come since the last; `undefined` at the end. No more than a little is read ahead of it. */
	read(): Promise<Buffer | undefined>;
};

/** What is read ahead of the reader. */
const maxAheadBytes = 65_536;

/**
 * Posts to a model's server without what `fetch` brings along: streams of the web cost a relay more than all that it does itself. Redirects are answers, and nothing
 * is unpacked. Rejects with what broke, or the reason of the signal; so does `read`, with `answer_too_large` beyond `maxBytes`, too.
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
				// What comes before the answer, as 103.
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

/** An answer is larger than what is read of one. */
export const answerTooLarge = (maxBytes: number): SvcError =>
	new SvcError('answer_too_large', `Cannot read an answer of more than ${maxBytes} bytes`);

type Waiting = {
	readonly resolve: (part: Buffer | undefined) => void;
	readonly reject: (error: unknown) => void;
};

/** Between who brings parts and who asks for them, one at a time. What has come is given before it fails or ends. */
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
		/** How many bytes wait for the reader. */
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
