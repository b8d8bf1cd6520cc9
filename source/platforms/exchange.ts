import type {Agent, Dispatcher} from 'undici';
import type {JsonValue} from '../core/json.ts';

const usualAnswerBytes = 1024 * 1024;

/** An HTTP request. */
export type WireRequest = {
	readonly url: string;
	/** `POST` when absent. */
	readonly method?: 'GET' | 'PATCH' | 'POST' | 'PUT';
	readonly headers?: Readonly<Record<string, string>>;
	/** The body: as JSON, or as a form. */
	readonly json?: JsonValue;
	readonly form?: Readonly<Record<string, string>>;
	/** Maximum size of the answer, which is not read beyond that, bytes; 1 MiB when absent. */
	readonly maxAnswerBytes?: number;
	/** Aborts the request. */
	readonly signal: AbortSignal;
};

/** The progress of a request. */
export type Exchange = {
	/** Whether the request may have arrived. */
	isWritten: boolean;
	status: number | undefined;
	headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly parts: Buffer[];
};

/** Sends the request and records its progress in `exchange`. Resolves at the end of the answer; rejects with the network error. */
export async function exchangeWith(
	agent: Pick<Agent, 'dispatch'>,
	{
		url,
		method = 'POST',
		headers = {},
		json,
		form,
		maxAnswerBytes = usualAnswerBytes,
		signal,
	}: WireRequest,
	exchange: Exchange,
): Promise<void> {
	signal.throwIfAborted();
	const {origin, pathname, search} = new URL(url);
	const [type, body] = form
		? ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()]
		: json === undefined
			? []
			: ['application/json; charset=utf-8', JSON.stringify(json)];
	const {promise, resolve, reject} = Promise.withResolvers<void>();
	let controller: Dispatcher.DispatchController | undefined;
	let bytes = 0;
	const abort = () => {
		controller?.abort(new Error('Aborted'));
		reject(new Error('Aborted'));
	};
	signal.addEventListener('abort', abort, {once: true});
	agent.dispatch(
		{
			origin,
			path: `${pathname}${search}`,
			method,
			headers: {
				'user-agent': 'svc',
				'accept-encoding': 'identity',
				...(type !== undefined && {'content-type': type}),
				...headers,
			},
			...(body !== undefined && {body}),
		},
		{
			// Connected: the request is written next.
			onRequestStart(started) {
				controller = started;
				if (signal.aborted) {
					abort();
				} else {
					exchange.isWritten = true;
				}
			},
			onResponseStart(_, status, received) {
				// Ignores interim answers such as 103.
				if (status >= 200) {
					exchange.status = status;
					exchange.headers = received;
				}
			},
			onResponseData(receiving, part) {
				bytes += part.byteLength;
				if (bytes > maxAnswerBytes) {
					const error = new Error(`more than ${maxAnswerBytes} bytes`);
					receiving.abort(error);
					reject(error);
				} else {
					exchange.parts.push(part);
				}
			},
			onResponseEnd: () => resolve(),
			onResponseError: (_, error) => reject(error),
		},
	);
	try {
		await promise;
	} finally {
		signal.removeEventListener('abort', abort);
	}
}
