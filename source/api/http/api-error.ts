import type {KeyProblem, KeyRefusal} from '../keys/desk.ts';

/** The answer to a request that cannot be served, in the format that clients of this API expect. */
export class ApiError extends Error {
	override readonly name = 'ApiError';
	readonly status: number;
	readonly body: ApiErrorBody;
	readonly headers: Readonly<Record<string, string>>;

	/** @param body its `type`, where that is not said, follows from the status */
	constructor(
		status: number,
		body: Pick<ApiErrorBody, 'message' | 'code'> & Partial<ApiErrorBody>,
		headers: Readonly<Record<string, string>> = {},
	) {
		super(body.message);
		const type = status < 500 ? 'invalid_request_error' : 'api_error';
		const {message, param = null, code} = body;
		this.status = status;
		this.body = {message, type: body.type ?? type, param, code};
		this.headers = headers;
	}
}

/** All four members are always present, and `code` is a text: clients rely on that. */
export type ApiErrorBody = {
	readonly message: string;
	readonly type:
		| 'invalid_request_error'
		| 'permission_error'
		| 'rate_limit_error'
		| 'insufficient_quota'
		| 'api_error';
	readonly param: string | null;
	readonly code: string;
};

/** An invalid request. @param param path of the invalid part: `messages[2].content` */
export const badRequest = (message: string, code: string, param: string | null = null): ApiError =>
	new ApiError(400, {message, code, param});

const problemsWithKeys: Readonly<Record<KeyProblem, string>> = {
	malformed: 'that is no key of this gateway: it is cut, or mistyped',
	unknown: 'no such key',
	revoked: 'the key was revoked',
	expired: 'the key has expired',
};

/** The error for a missing or invalid key. */
export function keyError(problem: KeyProblem | 'missing'): ApiError {
	const [why, code] =
		problem === 'missing'
			? ['send a key as "Authorization: Bearer KEY"', 'missing_api_key']
			: [problemsWithKeys[problem], 'invalid_api_key'];
	const message = `Cannot serve the request: ${why}`;
	return new ApiError(401, {message, code}, {'WWW-Authenticate': 'Bearer'});
}

/** Endpoints of newer editions of the API that are not served, with an alternative. @see manual/chat-api.md#responses */
const unserved: Readonly<Record<string, string>> = {
	'/v1/responses/compact':
		'it is not served; shorten "input" yourself and send it to POST /v1/responses, where nothing is kept between requests',
};

export function unknownUrl(method: string, path: string): ApiError {
	const known = path.replace(/\/$/, '');
	const why = Object.hasOwn(unserved, known) ? unserved[known] : undefined;
	const message = `Cannot ${method} ${path}: ${why ?? 'see /openapi.yaml for what there is'}`;
	return new ApiError(404, {message, code: 'unknown_url'});
}

/** @param isWebSocket whether the request asks for an upgrade to a WebSocket */
export function wrongMethod(
	method: string,
	allowed: readonly string[],
	isWebSocket = false,
): ApiError {
	const Allow = allowed.join(', ');
	const message = isWebSocket
		? 'Cannot open a WebSocket: it is not served; POST with "stream": true sends the same events'
		: `Cannot ${method} this: it takes ${Allow}`;
	return new ApiError(405, {message, code: 'method_not_allowed'}, {Allow});
}

export const bodyTooLarge = (limit: number): ApiError =>
	new ApiError(413, {
		message: `Cannot read the request: it is larger than ${limit} bytes (api.max_body_bytes)`,
		code: 'request_too_large',
	});

/** @param model as the client wrote it, of any length */
export const modelNotFound = (model: string): ApiError =>
	new ApiError(404, {
		message: `Cannot find the model "${model.slice(0, 128)}": GET /v1/models lists them`,
		param: 'model',
		code: 'model_not_found',
	});

export function endpointDenied(
	endpoint: string,
	why = `the key is not for "${endpoint}"`,
): ApiError {
	const message = `Cannot serve the request: ${why}`;
	return new ApiError(403, {message, type: 'permission_error', code: 'endpoint_access_denied'});
}

export const modelDenied = (model: string, why: string): ApiError =>
	new ApiError(403, {
		message: `Cannot use the model "${model}": ${why}`,
		type: 'permission_error',
		param: 'model',
		code: 'model_access_denied',
	});

/** The error for a request above the key's limits. */
export function limitError(refusal: KeyRefusal): ApiError {
	const {kind, most, retryMs} = refusal;
	const headers = {'Retry-After': String(Math.max(1, Math.ceil(retryMs / 1000)))};
	if (kind === 'budget') {
		const message = `Cannot serve the request: ${spentWords(refusal)}`;
		const body = {message, type: 'insufficient_quota', code: 'budget_exceeded'} as const;
		// A retry within the hour would fail as well.
		return new ApiError(429, body, {...headers, 'x-should-retry': 'false'});
	}

	const when = kind === 'rpm' ? 'in a minute' : 'at a time';
	const message = `Cannot serve the request: the key may make ${most} requests ${when}`;
	return new ApiError(
		429,
		{message, type: 'rate_limit_error', code: 'rate_limit_exceeded'},
		headers,
	);
}

/** How much of the budget is used, and how much the request needs if some is left. */
function spentWords({used, held, asked, most}: Extract<KeyRefusal, {kind: 'budget'}>): string {
	const gone = `${used} of the ${most} tokens of the key's budget are used`;
	const reserved = held > 0 ? `, ${held} are held for requests under way` : '';
	return used >= most ? gone : `it needs at least ${asked} tokens, but ${gone}${reserved}`;
}

export const internalError = (
	message = 'Cannot serve the request: the gateway failed; its log says why',
): ApiError => new ApiError(500, {message, code: 'internal_error'});

/** An error after which a retry may succeed in this many seconds. */
const later = (seconds: number, code: string, message: string): ApiError =>
	new ApiError(503, {message, code}, {'Retry-After': String(seconds)});

/** The store cannot be read or written now. */
export const storeAway = (): ApiError =>
	later(
		10,
		'journal_unavailable',
		'Cannot serve the request: the store of the gateway cannot be reached',
	);

export const stopping = (): ApiError =>
	later(5, 'stopping', 'Cannot serve the request: the gateway is stopping');

/** The limit of concurrent agents is reached. */
export const busy = (): ApiError =>
	later(5, 'busy', 'Cannot serve the request: as many agents are at work as may be at a time');

/** There is no memory left for this request's body. */
export const crowded = (): ApiError =>
	later(
		1,
		'busy',
		'Cannot read the request: the requests under way are as large as may be held at a time, together or of this key',
	);

/** The model's server failed before the answer began. @param status 502, 503 or 504 */
export function upstreamError(
	status: 502 | 503 | 504,
	message: string,
	retryAfterSeconds?: number,
): ApiError {
	const code = status === 504 ? 'upstream_timeout' : 'upstream_error';
	const retry = retryAfterSeconds === undefined ? {} : {'Retry-After': String(retryAfterSeconds)};
	return new ApiError(status, {message, code}, retry);
}

const codesOfUnheard: Readonly<Record<number, string>> = {
	405: 'method_not_allowed',
	408: 'request_timeout',
	431: 'headers_too_large',
	503: 'internal_error',
};

/** A malformed or incomplete HTTP request: its content has not been looked at. */
export const unheard = (status: number, why: string): ApiError =>
	new ApiError(status, {
		message: `Cannot read the request: ${why}`,
		code: codesOfUnheard[status] ?? 'malformed_request',
	});
