import type {IncomingMessage} from 'node:http';
import type {KeyFacts} from '../core/api-key.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import {orElse} from '../core/or-else.ts';
import type {World} from '../core/world.ts';
import {respond, type HttpAnswer, type HttpPair, requestTargetOf} from '../http/http-messages.ts';
import {
	ApiError,
	endpointDenied,
	internalError,
	keyError,
	limitError,
	stopping,
	storeAway,
	unknownUrl,
	wrongMethod,
} from './http/api-error.ts';
import type {BodyRoom} from './http/body-room.ts';
import {corsHeaders, preflightHeaders} from './http/cors.ts';
import {cutStalled} from './http/cut-stalled.ts';
import {
	spendingOf,
	spendsNothing,
	type ApiAnswer,
	type ApiCall,
	type ApiRequest,
	type Endpoint,
	type Spending,
} from './http/endpoint.ts';
import {createEventStream} from './http/event-stream.ts';
import {readJsonBody} from './http/json-body.ts';
import {requestIdOf} from './http/request-id.ts';
import type {KeyDesk} from './keys/desk.ts';

export type RequestWorld = Pick<World, 'clock' | 'log'> & {
	readonly keys: Pick<KeyDesk, 'authenticate' | 'admit' | 'left'>;
	readonly endpoints: readonly Endpoint[];
	readonly room: BodyRoom;
	readonly limits: () => {readonly maxBodyBytes: number; readonly corsOrigins: readonly string[]};
	/** Aborts when requests under way must stop. */
	readonly stopping: AbortSignal;
	readonly isDraining: () => boolean;
};

/** Created once: creating an error for each request would cost its stack trace. */
const gone = new Error('The client has left');

/**
 * Answers one request. Checks in this order: request id, CORS preflight, key (401), URL (404) and method (405), size (413), JSON and schema (400), model (404), the key's
 * permissions (403) and limits (429). Never rejects.
 *
 * @see manual/chat-api.md#errors
 */
export async function answerRequest(pair: HttpPair, world: RequestWorld): Promise<void> {
	const {request, response} = pair;
	const {clock, log, limits} = world;
	const requestId = requestIdOf(request.headers['x-request-id']);
	const {corsOrigins} = limits();
	const headers = {'x-request-id': requestId, ...corsHeaders(request, corsOrigins)};
	const {path} = requestTargetOf(request);
	// A broken connection ends the reading of the body; there is no client left to answer.
	request.on('error', ignore);
	response.on('error', ignore);
	let isLeft = false;
	const left = new AbortController();
	response.once('close', () => {
		isLeft = !response.writableFinished;
		if (isLeft) {
			left.abort(gone);
		}
	});

	const send = (answer: Pick<HttpAnswer, 'status' | 'body' | 'contentType' | 'headers'>) => {
		respond(
			pair,
			{...answer, headers: {...headers, ...answer.headers}, close: world.isDraining()},
			clock,
		);
		cutStalled(response, answer.body.length, clock);
	};

	const preflight = preflightHeaders(request, corsOrigins);
	if (preflight) {
		send({status: 204, body: '', headers: preflight});
		return;
	}

	try {
		const answer = await serve(pair, {...world, path, requestId, headers, left: left.signal});
		if (answer !== 'streamed') {
			const {json, text = JSON.stringify(json), ...more} = answer;
			send({status: 200, ...more, body: text});
		}
	} catch (error) {
		const isRefusal = error instanceof ApiError;
		const refusal = isRefusal ? error : failureOutside(error);
		if (!isRefusal && !isLeft) {
			const facts = {error: messageOf(error), request: requestId};
			log.error('Cannot serve a request of the chat API', facts);
		}

		const {status, body, headers: more} = refusal;
		if (response.headersSent) {
			response.destroy();
		} else {
			send({status, body: JSON.stringify({error: body}), headers: more});
		}
	}
}

const ignore = () => {};

type Serving = RequestWorld & {
	readonly path: string;
	readonly requestId: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly left: AbortSignal;
};

async function serve(pair: HttpPair, world: Serving): Promise<ApiAnswer> {
	const {request, response} = pair;
	const {endpoints, keys, path, requestId, clock, limits} = world;
	const method = request.method ?? '';
	const found = endpointAt(endpoints, path);
	const here = found.find(({endpoint}) => endpoint.method === method);
	const isOpen = here !== undefined && here.endpoint.scope === undefined;
	let key = isOpen ? undefined : keyOf(request, keys);
	if (!here) {
		const allowed = found.map(({endpoint}) => endpoint.method);
		const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
		const asked = method.slice(0, 20);
		throw allowed.length === 0
			? unknownUrl(asked, path.slice(0, 200))
			: wrongMethod(asked, allowed, isWebSocket);
	}

	const {endpoint, rest} = here;
	const header: ApiRequest['header'] = name => {
		const value = request.headers[name];
		return typeof value === 'string' ? value : undefined;
	};
	let body: ApiRequest['body'] = {};
	using place = world.room.open(key?.id ?? '');
	if (endpoint.method === 'POST') {
		body = await readJsonBody(pair, limits().maxBodyBytes, place);
		// Reading a body may take a minute: the key may have ended meanwhile, or its permissions may have shrunk.
		key &&= keyOf(request, keys);
	}

	const prepared = endpoint.prepare({key, rest, body, header});
	if (!key || endpoint.scope === undefined) {
		return await endpoint.serve(prepared, openCall);
	}

	if (!key.endpoints.includes(endpoint.scope)) {
		throw endpointDenied(endpoint.scope);
	}

	endpoint.permit?.(prepared, key);
	if (world.isDraining()) {
		throw stopping();
	}

	const call = (signal: AbortSignal, spending: Spending): ApiCall => ({
		requestId,
		key,
		signal,
		...spending,
		header,
		stream: more =>
			createEventStream(response, {
				clock,
				more: {...world.headers, ...rateHeaders(keys, key), ...more},
			}),
	});
	const ends = [world.left, world.stopping];
	if (!endpoint.need) {
		return await endpoint.serve(prepared, call(AbortSignal.any(ends), spendsNothing));
	}

	const admission = await keys.admit(key.id, endpoint.need(prepared));
	if (admission.kind === 'refused') {
		throw limitError(admission.refusal);
	}

	using permit = admission.permit;
	const signal = AbortSignal.any([...ends, permit.signal]);
	const answer = await endpoint.serve(prepared, call(signal, spendingOf(permit)));
	return answer === 'streamed'
		? answer
		: {...answer, headers: {...rateHeaders(keys, key), ...answer.headers}};
}

/** The call of an endpoint that needs no key: nothing in it is usable. */
const openCall: ApiCall = {
	requestId: '',
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an endpoint without a scope does not use the key
	key: undefined as never,
	signal: new AbortController().signal,
	...spendsNothing,
	header: () => undefined,
	stream() {
		throw new Error('An endpoint without a scope does not stream');
	},
};

/** Endpoints of all methods for a path. Some clients append a slash. */
function endpointAt(
	endpoints: readonly Endpoint[],
	asked: string,
): ReadonlyArray<{readonly endpoint: Endpoint; readonly rest: string}> {
	const path = asked.replace(/\/$/, '');
	return endpoints.flatMap(endpoint => {
		const [head = '', parameter] = endpoint.path.split('{');
		if (parameter === undefined) {
			return path === head ? [{endpoint, rest: ''}] : [];
		}

		const rest = path.startsWith(head) ? decoded(path.slice(head.length)) : undefined;
		return rest ? [{endpoint, rest}] : [];
	});
}

const decoded = (text: string): string | undefined =>
	orElse(() => decodeURIComponent(text), undefined);

function keyOf({headers: {authorization}}: IncomingMessage, keys: RequestWorld['keys']) {
	const secret = bearerOf(authorization);
	const found = secret === undefined ? {problem: 'missing' as const} : keys.authenticate(secret);
	if ('problem' in found) {
		throw keyError(found.problem);
	}

	return found.key;
}

function rateHeaders(
	keys: RequestWorld['keys'],
	{id, rpm}: KeyFacts,
): Readonly<Record<string, string>> {
	const left = rpm === undefined ? undefined : keys.left(id);
	return {
		...(left && {
			'x-ratelimit-limit-requests': String(rpm),
			'x-ratelimit-remaining-requests': String(left.requests),
			'x-ratelimit-reset-requests': `${left.resetMs}ms`,
		}),
	};
}

/** The error for a failure that is not an `ApiError`. */
const failureOutside = (error: unknown): ApiError =>
	codeOf(error) === 'journal_unavailable' ? storeAway() : internalError();

/** The key of an `Authorization` header. @see RFC 6750 §2.1 */
const bearerOf = (authorization: string | undefined): string | undefined =>
	/^bearer +(?<key>\S+) *$/i.exec(authorization ?? '')?.groups?.['key'];
