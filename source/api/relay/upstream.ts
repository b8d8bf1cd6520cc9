import {createDeadline} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import {ApiError, upstreamError} from '../http/api-error.ts';
import {garbled, networkFailure, refusalOf} from './upstream-failure.ts';

/** A model's server that speaks this API. */
export type Upstream = {
	/** URL of its chat completions. */
	readonly url: string;
	/** Includes its key. */
	readonly headers: Readonly<Record<string, string>>;
	/** The server's name of the model. */
	readonly model: string;
	/** The field for a limit of the answer that the client did not set. */
	readonly limitField: 'max_tokens' | 'max_completion_tokens';
	/** Sends a request without following redirects or decompressing. Rejects with the network error, or the reason of the signal. */
	readonly post: (
		url: string,
		question: {
			readonly headers: Readonly<Record<string, string>>;
			readonly body: string;
			readonly signal: AbortSignal;
		},
	) => Promise<Posted>;
};

/** A response that has begun, with any status. */
type Posted = {
	readonly status: number;
	/** Reads a header by its lower-case name. */
	readonly header: (name: string) => string | null;
	/** The next part of the body; `undefined` at the end. */
	read(): Promise<Uint8Array | undefined>;
};

export type UpstreamWorld = Pick<World, 'clock' | 'redact'> & {
	readonly signal: AbortSignal;
};

/** A response with status 200 that has begun. */
export type UpstreamReply = Disposable & {
	/** The next part of its text; `undefined` at the end. @throws ApiError, or the reason of the signal */
	read(): Promise<string | undefined>;
	/** Gives it only a short time to end from now on. */
	hurry(): void;
};

/** Timeout of the first byte: a model may think for minutes before it answers. */
const waitMs = 600_000;
/** Timeout between parts of an answer. */
const silenceMs = 300_000;
/** Timeout of the end after the finish reason. */
const hurryMs = 5000;
/** Time limit for draining, so that the connection can be reused. */
const drainMs = 1000;

const maxErrorBytes = 65_536;

/** Sends a request to the server. @throws ApiError when it refuses, is unreachable or does not answer; the reason of the signal when that aborts */
export async function askUpstream(
	{url, headers, post}: Upstream,
	body: JsonObject,
	{clock, redact, signal}: UpstreamWorld,
): Promise<UpstreamReply> {
	const ending = new AbortController();
	const patience = createDeadline(clock, () => ending.abort(tooSlow()));
	const leave = () => ending.abort(signal.reason);
	const settle = () => {
		signal.removeEventListener('abort', leave);
		patience[Symbol.dispose]();
	};
	const failure = (error: unknown): unknown => {
		settle();
		signal.throwIfAborted();
		if (error instanceof ApiError) {
			return error;
		}

		return ending.signal.aborted ? ending.signal.reason : networkFailure(error);
	};

	signal.throwIfAborted();
	signal.addEventListener('abort', leave);
	patience.move(waitMs);
	let answer: Posted;
	try {
		answer = await post(url, {
			headers: {'content-type': 'application/json', ...headers},
			body: JSON.stringify(body),
			signal: ending.signal,
		});
		await refuseOthers(answer, ending, redact);
	} catch (error) {
		throw failure(error);
	}

	const decoder = new TextDecoder();
	let isOver = false;
	let isHurried = false;
	return {
		async read() {
			if (isOver) {
				return undefined;
			}

			patience.move(isHurried ? hurryMs : silenceMs);
			try {
				const part = await answer.read();
				patience.clear();
				isOver = part === undefined;
				return part ? decoder.decode(part, {stream: true}) : decoder.decode() || undefined;
			} catch (error) {
				isOver = true;
				throw failure(error);
			}
		},
		hurry() {
			isHurried = true;
		},
		[Symbol.dispose]() {
			if (isOver) {
				settle();
				return;
			}

			if (!isHurried) {
				settle();
				ending.abort(done);
				return;
			}

			// Draining a complete answer makes the connection reusable.
			patience.move(drainMs);
			void drain(answer).finally(settle);
		},
	};
}

/** The reason of an abort that nobody sees. */
const done = new Error('The answer is not needed any more');

/** Checks that a response is a model's answer. @throws ApiError */
async function refuseOthers(
	answer: Posted,
	ending: AbortController,
	redact: Redact,
): Promise<void> {
	const {status, header} = answer;
	if (status !== 200) {
		const body = await beginningOf(answer);
		ending.abort(done);
		throw refusalOf({status, header, body}, redact);
	}

	if (!/^(?:identity)?$/i.test(header('content-encoding') ?? '')) {
		ending.abort(done);
		throw garbled('it is compressed, which was not asked for');
	}
}

const tooSlow = (): ApiError =>
	upstreamError(504, "Cannot wait any longer for the model's server: it says nothing");

/** Reads as much of the body as an error needs. */
async function beginningOf(answer: Posted): Promise<string> {
	const parts: Uint8Array[] = [];
	let bytes = 0;
	for (let part = await answer.read(); part && bytes < maxErrorBytes;) {
		parts.push(part);
		bytes += part.byteLength;
		// oxlint-disable-next-line no-await-in-loop -- sequential parts
		part = await answer.read();
	}

	return Buffer.concat(parts).toString('utf8');
}

async function drain(answer: Posted): Promise<void> {
	try {
		for (let part = await answer.read(); part !== undefined;) {
			// oxlint-disable-next-line no-await-in-loop -- as above
			part = await answer.read();
		}
	} catch {
		// A failure only affects the reuse of the connection.
	}
}
