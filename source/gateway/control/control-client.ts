import {request as httpRequest, type IncomingMessage} from 'node:http';
import {SvcError, codeOf, errorWithCode} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';

const maxAnswerBytes = 64 * 1024 * 1024;

/** Default timeout without any byte from the gateway. Generous, since replays wait for a delivery target. */
const usualSilenceMs = 60_000;

/** Timeout of calls whose answer takes no work. */
export const shortSilenceMs = 5000;

/** Whether `error` says that a gateway exists but does not answer properly. */
export const isSilentGateway = (error: unknown): boolean => codeOf(error) === 'gateway_silent';

type ControlRequest = {
	readonly method?: 'GET' | 'POST';
	readonly body?: JsonValue;
	readonly silenceMs?: number;
	/** Aborts the call. */
	readonly signal?: AbortSignal;
};

/** Whether `error` says that no gateway listens on the socket. */
export const isNoGateway = (error: unknown): boolean => codeOf(error) === 'gateway_not_running';

/**
 * Calls one operation of the control API. Resolves with the JSON answer, unchecked; `undefined` when the thing does not exist.
 *
 * @throws SvcError the gateway's own code, `gateway_not_running`, or `gateway_silent` after `silenceMs` (a minute) without any byte
 */
export async function callControl(
	socket: string,
	path: string,
	request: ControlRequest = {},
): Promise<unknown> {
	const response = await open(socket, path, request);
	const {silenceMs = usualSilenceMs} = request;
	response.setTimeout(silenceMs, () => {
		response.destroy(silent(silenceMs));
	});
	const text = await readText(response);
	const answer = valueOf(text);
	const isAbsent = response.statusCode === 404 && refusalOf(answer).code === 'not_found';
	if (response.statusCode !== 200 && !isAbsent) {
		// Also covers operations that an older gateway lacks.
		throw refusalOf(answer);
	}

	return isAbsent ? undefined : answer;
}

/** Checks that a gateway of any version listens on `socket` and answers. Rejects like {@link callControl}. */
export async function askForStatus(socket: string): Promise<void> {
	await callControl(socket, '/v1/status', {silenceMs: shortSilenceMs});
}

/** Calls an operation of the control API and resolves with the response as a stream, without a time limit. */
export async function open(
	socket: string,
	path: string,
	{method = 'GET', body, silenceMs = usualSilenceMs, signal}: ControlRequest = {},
): Promise<IncomingMessage> {
	const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>();
	const text = body === undefined ? '' : JSON.stringify(body);
	const request = httpRequest(
		{
			socketPath: socket,
			path,
			method,
			headers: {'content-length': Buffer.byteLength(text)},
			agent: false,
			...(signal && {signal}),
		},
		resolve,
	);
	request.setTimeout(silenceMs, () => {
		request.destroy(silent(silenceMs));
	});
	request.on('error', error => reject(isNobody(error) ? notRunning(socket, error) : error));
	request.end(text);
	const response = await promise;
	request.setTimeout(0);
	return response;
}

const silent = (silenceMs: number) =>
	new SvcError(
		'gateway_silent',
		`Cannot reach the gateway: it does not answer within ${silenceMs / 1000} s, and may be stopped or very busy`,
	);

async function readText(response: IncomingMessage): Promise<string> {
	const chunks: string[] = [];
	let length = 0;
	response.setEncoding('utf8');
	for await (const chunk of response) {
		const part = String(chunk);
		length += part.length;
		if (length > maxAnswerBytes) {
			throw new SvcError(
				'gateway_silent',
				'Cannot read the answer of the gateway: it is too large',
			);
		}

		chunks.push(part);
	}

	return chunks.join('');
}

/** @throws SvcError `gateway_failed`; the message does not quote `text` */
function valueOf(text: string): unknown {
	try {
		return text === '' ? undefined : JSON.parse(text);
	} catch {
		throw new SvcError(
			'gateway_failed',
			`Cannot read the answer of the gateway: its ${text.length} characters are no JSON`,
		);
	}
}

const isNobody = (error: unknown): boolean =>
	['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(codeOf(error));

const notRunning = (socket: string, cause: unknown): SvcError =>
	new SvcError('gateway_not_running', `No gateway runs for this home (no answer on "${socket}")`, {
		cause,
	});

function refusalOf(answer: unknown): SvcError {
	if (isJsonObject(answer) && typeof answer['error'] === 'string') {
		const code = answer['code'];
		return errorWithCode(typeof code === 'string' ? code : 'gateway_failed', answer['error']);
	}

	return new SvcError('gateway_failed', 'Cannot read the answer of the gateway');
}
