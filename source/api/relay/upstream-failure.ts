import {codeOf, messageOf} from '../../core/errors.ts';
import {type JsonValue, isJsonObject, parsedJson} from '../../core/json.ts';
import {isUnknownAuthority} from '../../core/network-variables.ts';
import type {Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {badRequest, upstreamError, type ApiError} from '../http/api-error.ts';

/** An answer of a model's server that is not a model's answer. */
export type UpstreamRefusal = {
	readonly status: number;
	readonly header: (name: string) => string | null;
	/** The beginning of the body. */
	readonly body: string;
};

const maxExcerptLength = 500;

/** Statuses that concern the request itself: its sender can correct it. */
const aboutTheRequest: ReadonlySet<number> = new Set([400, 413, 422]);
const aboutTheKey: ReadonlySet<number> = new Set([401, 402, 403]);
const aboutTime: ReadonlySet<number> = new Set([408, 504]);
const busy: ReadonlySet<number> = new Set([429, 503, 529]);

const maxRetryAfterSeconds = 3600;

/**
 * The error for the client. The server's 401, 402 or 403 concern our key there, 404 our configuration: neither is the client's fault. Its 429 becomes 503: the server is
 * busy, rather than the client too fast.
 *
 * @see manual/chat-api.md#errors
 */
export function refusalOf({status, header, body}: UpstreamRefusal, redact: Redact): ApiError {
	const {message, param, code} = errorIn(body);
	const clean = (text: string) => escapeLine(redact(text), maxExcerptLength);
	const detail = message === '' ? '' : `: ${clean(message)}`;
	if (aboutTheRequest.has(status)) {
		return badRequest(
			`Cannot serve the request: the model's server refused it with ${status}${detail}`,
			code === '' ? 'upstream_rejected' : clean(code).slice(0, 64),
			param === '' ? undefined : clean(param),
		);
	}

	if (aboutTheKey.has(status)) {
		// Quotes nothing of the answer: servers may repeat the key they refused.
		return upstreamError(
			502,
			`Cannot use the model: its server answered ${status}; the key of the gateway for it does not pass (model.api_key)`,
		);
	}

	if (busy.has(status)) {
		return upstreamError(
			503,
			`Cannot use the model: its server has too much to do (${status})${detail}`,
			retryAfterOf(header('retry-after')),
		);
	}

	if (status >= 300 && status < 400) {
		return upstreamError(
			502,
			`Cannot use the model: its server answered ${status}, a redirect, which is not followed`,
		);
	}

	const hint = status === 404 ? ' (model.name, model.base_url)' : '';
	return upstreamError(
		aboutTime.has(status) ? 504 : 502,
		`Cannot use the model: its server answered ${status}${hint}${detail}`,
	);
}

/** An error in the middle of an answer. @param error the member of that name */
export function errorEvent(error: JsonValue, redact: Redact): ApiError {
	const {message} = errorIn(JSON.stringify({error}));
	return upstreamError(
		502,
		`Cannot go on: the model's server failed${message === '' ? '' : `: ${escapeLine(redact(message), maxExcerptLength)}`}`,
	);
}

export const garbled = (why: string): ApiError =>
	upstreamError(502, `Cannot read the answer of the model's server: ${why}`);

/** The error for a failed connection. */
export function networkFailure(error: unknown): ApiError {
	const chain = causesOf(error);
	if (chain.some(one => codeOf(one) === 'answer_too_large')) {
		return garbled('it is too large');
	}

	if (chain.some(isUnknownAuthority)) {
		return upstreamError(
			502,
			"Cannot reach the model's server: its certificate was not issued by a known authority (tls.ca)",
		);
	}

	const code = chain.map(codeOf).find(one => /^(?:E[A-Z_]+|UND_ERR_\w+)$/.test(one));
	return upstreamError(
		502,
		`Cannot reach the model's server, or its line was cut [${code ?? escapeLine(messageOf(error), 100)}]`,
	);
}

function causesOf(error: unknown): readonly unknown[] {
	const chain: unknown[] = [];
	for (let cause = error; cause instanceof Error && chain.length < 8; cause = cause.cause) {
		chain.push(cause);
	}

	return chain;
}

/** Parses errors in the format of this API, in Google's list with one such object, or as `{"error": "text"}`. */
function errorIn(body: string): {
	readonly message: string;
	readonly param: string;
	readonly code: string;
} {
	const parsed = parsedJson(body);
	const whole: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
	const error = isJsonObject(whole) ? (whole['error'] ?? whole) : {};
	if (!isJsonObject(error)) {
		return {message: textOr(error), param: '', code: ''};
	}

	return {
		message: textOr(error['message'] ?? error['detail']),
		param: textOr(error['param']),
		code: textOr(error['code']),
	};
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

/** In seconds; only numbers are accepted. */
function retryAfterOf(value: string | null): number | undefined {
	const seconds = /^\d+$/.test(value ?? '') ? Number(value) : undefined;
	return seconds === undefined ? undefined : Math.min(seconds, maxRetryAfterSeconds);
}
