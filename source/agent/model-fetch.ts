import type {SecureContext} from 'node:tls';
import type * as ai from 'ai';
import type Undici from 'undici';
import type {Agent} from 'undici';
import {SvcError, codeOf, messageOf} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import {isUnknownAuthority} from '../core/network-variables.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ErrorCode} from '../manual/error-codes.ts';
import {type ModelQuestion, type ModelReply, answerTooLarge, postTo} from './model-request.ts';

/** The model that was called, for the person who reads the error. */
export type AskedModel = {
	readonly provider: string;
	readonly name: string;
	/** Host and port; absent for a model inside this process. */
	readonly host?: string;
};

/** How the SDK's errors are recognised; passed in because the SDK is loaded late. */
export type ErrorKinds = Pick<
	typeof ai,
	| 'APICallError'
	| 'RetryError'
	| 'InvalidResponseDataError'
	| 'JSONParseError'
	| 'TypeValidationError'
>;

const maxExcerptLength = 300;

const passingCodes: ReadonlySet<string> = new Set([
	'model_unreachable',
	'model_garbled',
	'model_failed',
	'program_replaced',
]);

/**
 * Whether retrying the whole run may succeed: the model was unreachable, overloaded (5xx, 429), unreadable or cut off, or the program was replaced. Not for a refusal (401,
 * 403), a rejected request (other 4xx), an answer that is too large (it would be read again), a timeout, a cancelled run or the step limit.
 */
export const isPassing = (error: unknown): boolean => passingCodes.has(codeOf(error));

/** Names a model in one clean line: `model "llama3" of openai-compatible at 127.0.0.1:11434`. */
export const nameModel = ({provider, name, host}: AskedModel): string =>
	`model "${escapeLine(name, 100)}" of ${provider}${host === undefined ? '' : ` at ${escapeLine(host, 100)}`}`;

const cutDetail = 'the line was cut in the middle of its answer';

const waits: ReadonlySet<number> = new Set([408, 409, 425, 429]);

const causesOf = (error: unknown): unknown[] => {
	const chain: unknown[] = [];
	for (let cause = error; cause instanceof Error && chain.length < 8; cause = cause.cause) {
		chain.push(cause);
	}

	return chain;
};

/** Whether it has a code of Node (`ECONNRESET`) or undici (`UND_ERR_SOCKET`) for a broken connection. */
const isNetworkError = (error: unknown) => /^(?:E[A-Z_]+|UND_ERR_\w+)$/.test(codeOf(error));

/** Whether this module stopped reading; the SDK wraps that as a response it could not process. */
const isTooLarge = (error: unknown) => codeOf(error) === 'answer_too_large';

/** The message of a failure. In a stream, servers send `{"error": {"message": …}}`, which is not an `Error`. */
const wordsOf = (failure: unknown): string =>
	isJsonObject(failure) && typeof failure['message'] === 'string'
		? failure['message']
		: messageOf(failure);

/**
 * Converts any failure of a model call to an `SvcError`: `answer_too_large`, `model_unreachable`, `model_refused` (401, 403), `model_rejected` (other 4xx and redirects),
 * `model_garbled`, `model_failed` (5xx, 408, 409, 425, 429, anything else). An `SvcError` is returned unchanged. The SDK's errors are not kept as `cause`: they contain the
 * whole request.
 */
export function modelError(
	error: unknown,
	{
		asked,
		kinds,
		redact,
	}: {readonly asked: AskedModel; readonly kinds: ErrorKinds; readonly redact: Redact},
): SvcError {
	if (error instanceof SvcError) {
		return error;
	}

	const last = kinds.RetryError.isInstance(error) ? error.lastError : error;
	const tries = kinds.RetryError.isInstance(error) ? ` (${error.errors.length} tries)` : '';
	const model = nameModel(asked);
	const excerptOf = (failure: unknown) => escapeLine(redact(wordsOf(failure)), maxExcerptLength);
	const fail = (code: ErrorCode, verb: string, detail: string) =>
		new SvcError(code, `Cannot ${verb} ${model}: ${detail}${tries}`);

	if (!kinds.APICallError.isInstance(last)) {
		// Within a stream, the SDK does not wrap connection errors.
		const tooMuch = causesOf(last).find(isTooLarge);
		const cut = causesOf(last).find(isNetworkError);
		if (tooMuch !== undefined) {
			return fail('answer_too_large', 'read the answer of', excerptOf(tooMuch));
		}

		if (cut !== undefined) {
			const code = codeOf(cut);
			return fail('model_unreachable', 'reach', `${cutDetail} [${code}]`);
		}

		const {InvalidResponseDataError, JSONParseError, TypeValidationError} = kinds;
		return [InvalidResponseDataError, JSONParseError, TypeValidationError].some(kind =>
			kind.isInstance(last),
		)
			? fail('model_garbled', 'read the answer of', excerptOf(last))
			: fail('model_failed', 'use', excerptOf(last));
	}

	const tooLarge = causesOf(last.cause).find(isTooLarge);
	if (tooLarge !== undefined) {
		return fail('answer_too_large', 'read the answer of', excerptOf(tooLarge));
	}

	const status = last.statusCode;
	if (status === undefined && causesOf(last.cause).some(isUnknownAuthority)) {
		const detail =
			'its certificate was not issued by a known authority: set tls.ca to the PEM file of its CA';
		return fail('model_unreachable', 'reach', detail);
	}

	const broken = causesOf(last.cause).find(isNetworkError);
	if (status === undefined || (status < 300 && broken !== undefined)) {
		const detail = status === undefined ? 'is it running, and is model.base_url right' : cutDetail;
		const code = broken === undefined ? '' : ` [${codeOf(broken)}]`;
		return fail('model_unreachable', 'reach', `${detail}${code}`);
	}

	if (status < 300) {
		return fail('model_garbled', 'read the answer of', excerptOf(last));
	}

	if (status < 400) {
		const detail = `it answered ${status}, a redirect, which is not followed; set model.base_url to the final address`;
		return fail('model_rejected', 'use', detail);
	}

	if (status === 401 || status === 403) {
		// Quotes nothing of the answer: servers may repeat the key they refused.
		return fail('model_refused', 'use', `it answered ${status}; check model.api_key`);
	}

	if (status >= 500 || waits.has(status)) {
		return fail('model_failed', 'use', `it answered ${status}: ${excerptOf(last)}`);
	}

	const hint = status === 404 ? '; check model.name and model.base_url' : '';
	return fail('model_rejected', 'use', `it answered ${status}: ${excerptOf(last)}${hint}`);
}

/** Larger answers are not read to the end, bytes. */
const defaultMaxAnswerBytes = 32 * 1024 * 1024;

export type ModelFetch = {
	readonly fetch: typeof globalThis.fetch;
	/** A single POST for relays, without decompression. */
	post(url: string, question: ModelQuestion): Promise<ModelReply>;
	/** Closes all connections; calls in progress fail. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Passes chunks on, and fails at the one that exceeds `maxBytes` in total. */
const boundedBytes = (maxBytes: number) => {
	let seen = 0;
	return new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			seen += chunk.byteLength;
			if (seen > maxBytes) {
				throw answerTooLarge(maxBytes);
			}

			controller.enqueue(chunk);
		},
	});
};

/**
 * A `fetch` for model providers. Unlike the built-in one, it lets a model think for more than 300 s (a run has its own limit), limits the size of answers, and returns
 * redirects instead of following them, since providers' key headers would be sent along. `secureContext` returns whom TLS connections trust; a new one applies from the
 * next call.
 */
export function createModelFetch({
	maxAnswerBytes = defaultMaxAnswerBytes,
	secureContext = () => undefined,
}: {
	readonly maxAnswerBytes?: number;
	readonly secureContext?: () => SecureContext | undefined;
} = {}): ModelFetch {
	const agents = new Map<SecureContext | undefined, Agent>();

	/** Agents with an outdated context close after their last answer. */
	const agentFor = (context: SecureContext | undefined, make: () => Agent): Agent => {
		const agent = agents.get(context) ?? make();
		agents.set(context, agent);
		for (const [other, old] of agents) {
			if (context && other && other !== context) {
				agents.delete(other);
				void old.close();
			}
		}

		return agent;
	};

	let loaded: typeof Undici | undefined;
	// The default export: from packages in CommonJS format, the bundle exposes nothing else.
	const load = async () => {
		loaded ??= (await import('undici')).default;
		return loaded;
	};

	const dispatcherFor = (undici: typeof Undici, url: string): Agent => {
		const context = url.startsWith('https:') ? secureContext() : undefined;
		const connect = context && {connect: {secureContext: context}};
		const patient = {bodyTimeout: 0, headersTimeout: 0};
		return agentFor(context, () => new undici.Agent({...patient, ...connect}));
	};

	const fetchBounded = async (input: string, init: object) => {
		const undici = await load();
		const dispatcher = dispatcherFor(undici, input);
		const response = await undici.fetch(input, {...init, redirect: 'manual', dispatcher});
		// A new response with the same status and headers, and a limited body.
		return response.body
			? new undici.Response(response.body.pipeThrough(boundedBytes(maxAnswerBytes)), response)
			: response;
	};

	return {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici's fetch is the one in Node; only its type names differ
		fetch: ((input: string | URL, init = {}) =>
			fetchBounded(String(input), init)) as unknown as typeof globalThis.fetch,
		async post(url, question) {
			const undici = loaded ?? (await load());
			return postTo(dispatcherFor(undici, url), url, {...question, maxBytes: maxAnswerBytes});
		},
		async [Symbol.asyncDispose]() {
			const all = [...agents.values()];
			agents.clear();
			await Promise.all(all.map(async agent => agent.destroy()));
		},
	};
}
