import {createDeadline} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import {ApiError, upstreamError} from '../http/api-error.ts';
import {garbled, networkFailure, refusalOf} from './upstream-failure.ts';

/** A server that speaks this API. */
export type Upstream = {
	/** Of its chat completions. */
	readonly url: string;
	/** With its key. */
	readonly headers: Readonly<Record<string, string>>;
	/** Its own name of the model. */
	readonly model: string;
	/** The field for a bound of the answer that the client did not ask for. */
	readonly limitField: 'max_tokens' | 'max_completion_tokens';
	/** Asks without following a redirect, and without unpacking. Rejects with what broke, or the reason of the signal. */
	readonly post: (
		url: string,
		question: {
			readonly headers: Readonly<Record<string, string>>;
			readonly body: string;
			readonly signal: AbortSignal;
		},
	) => Promise<Posted>;
};

/** An answer that has begun, whatever it is. */
type Posted = {
	readonly status: number;
	/** By its name in small letters. */
	readonly header: (name: string) => string | null;
	/** What has come; `undefined` at the end. */
	read(): Promise<Uint8Array | undefined>;
};

export type UpstreamWorld = Pick<World, 'clock' | 'redact'> & {
	readonly signal: AbortSignal;
};

/** An answer with status 200 that has begun. */
export type UpstreamReply = Disposable & {
	/** The next part of its text; `undefined` at its end. @throws ApiError, or the reason of the signal */
	read(): Promise<string | undefined>;
	/** From now on it has to end soon. */
	hurry(): void;
};

/** A model may think for minutes before it says anything. */
const waitMs = 600_000;
/** One that has begun to speak goes on. */
const silenceMs = 300_000;
/** What comes after the last word is there at once. */
const hurryMs = 5000;
/** So that the connection can be used again. */
const drainMs = 1000;

const maxErrorBytes = 65_536;

/** Asks the server. @throws ApiError when it refuses, cannot be reached or says nothing; the reason of the signal when that aborts */
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

			// Reading the last bytes of a whole answer keeps the connection for the next request.
			patience.move(drainMs);
			void drain(answer).finally(settle);
		},
	};
}

/** The reason of an abort that is reported to no one. */
const done = new Error('The answer is not needed any more');

/** Refuses a response that is not the answer of a model. @throws ApiError */
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

/** As much as an error needs. */
async function beginningOf(answer: Posted): Promise<string> {
	const parts: Uint8Array[] = [];
	let bytes = 0;
	for (let part = await answer.read(); part && bytes < maxErrorBytes;) {
		parts.push(part);
		bytes += part.byteLength;
		// oxlint-disable-next-line no-await-in-loop -- one part comes after the other
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
		// It is only about the connection.
	}
}
