import type * as ai from 'ai';
import {codeOf, messageOf, SvcError} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import {isUnknownAuthority} from '../core/network-variables.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

/** Who was asked, for the person who reads the error. */
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
 * Whether another try of the whole run may help: the model was unreachable, overloaded (5xx, 429), unreadable or cut off, or the program was replaced.
 * Not for a refusal (401, 403), a rejected request (other 4xx), an answer that is too large (it would be read again), a timeout, a
 * cancelled run or the step limit.
 */
export const isPassing = (error: unknown): boolean => passingCodes.has(codeOf(error));

/** `model "llama3" of openai-compatible at 127.0.0.1:11434`, cleaned for one line. */
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

/** Codes of Node (`ECONNRESET`) and undici (`UND_ERR_SOCKET`) for a line that broke. */
const isNetworkError = (error: unknown) => /^(?:E[A-Z_]+|UND_ERR_\w+)$/.test(codeOf(error));

/** `model-fetch.ts` stopped reading; the SDK wraps that as a response it could not process. */
const isTooLarge = (error: unknown) => codeOf(error) === 'answer_too_large';

/** In a stream a server says `{"error": {"message": …}}`, which is no `Error`. */
const wordsOf = (failure: unknown): string =>
	isJsonObject(failure) && typeof failure['message'] === 'string'
		? failure['message']
		: messageOf(failure);

/**
 * What any failure of a model call means, as `SvcError`: `answer_too_large`, `model_unreachable`, `model_refused` (401, 403), `model_rejected` (other
 * 4xx and redirects), `model_garbled`, `model_failed` (5xx, 408, 409, 425, 429, anything else). A `SvcError` stays what it is. The SDK's
 * errors are not kept as `cause`: they hold the whole request.
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
		// In the middle of a stream the SDK does not wrap an error of the connection.
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
		// Nothing of the answer: servers like to quote the key they did not accept.
		return fail('model_refused', 'use', `it answered ${status}; check model.api_key`);
	}

	if (status >= 500 || waits.has(status)) {
		return fail('model_failed', 'use', `it answered ${status}: ${excerptOf(last)}`);
	}

	const hint = status === 404 ? '; check model.name and model.base_url' : '';
	return fail('model_rejected', 'use', `it answered ${status}: ${excerptOf(last)}${hint}`);
}
