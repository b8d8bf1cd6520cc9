import type {IncomingMessage} from 'node:http';
import type {Clock} from '../core/clock.ts';
import {isLoopbackHost} from '../core/hosts.ts';
import {
	respond,
	type HttpAnswer,
	type HttpPair,
	createOutbox,
	declaredSize,
	readBody,
	requestTargetOf,
	hostOfAuthority,
	type RequestTarget,
} from '../http/http-messages.ts';
import type {Pipeline} from './pipeline.ts';
import type {WebhookRequest} from './receive.ts';
import {refusals, type Reply} from './replies.ts';
import {headerOf, type RequestHeaders} from './request-content.ts';

type Exchange = {
	/** Answers one request; never rejects. */
	handle(pair: HttpPair): Promise<void>;
};

type ExchangeDependencies = {
	readonly clock: Clock;
	readonly pipeline: Pipeline;
	readonly isDraining: () => boolean;
	readonly renderMetrics: () => Promise<string>;
	/** Whether this gateway cannot accept requests now although another gateway on the same store may. */
	readonly isUnavailable: () => boolean;
	/** `metrics.host`. */
	readonly metricsHost: () => string | undefined;
};

/** Between HTTP and the response table: paths and methods in, status and headers out. @see manual/receiver.md#answers */
export function createExchange({
	clock,
	pipeline,
	isDraining,
	isUnavailable,
	renderMetrics,
	metricsHost,
}: ExchangeDependencies): Exchange {
	const outbox = createOutbox();
	const answer = async (pair: HttpPair): Promise<HttpAnswer> => {
		const {request} = pair;
		const target = requestTargetOf(request);
		const path = parseRequestPath(target.path);
		if (path.kind === 'webhook') {
			return answerOf(await pipeline.post(webhookRequestOf(pair, path), request.headers));
		}

		if (path.kind === 'metrics') {
			const reader = metricsReader(request, target, metricsHost());
			if (reader !== 'allowed') {
				return answerOf(reader === 'misled' ? refusals.host : refusals.unknownRoute);
			}
		}

		if (request.method !== 'GET' && request.method !== 'HEAD') {
			return {...answerOf(refusals.method), allow: 'GET, HEAD'};
		}

		return path.kind === 'metrics'
			? metricsAnswer(await renderMetrics())
			: healthAnswer(isDraining() ? 'stopping' : isUnavailable() ? 'unavailable' : 'ok');
	};

	return {
		async handle(pair) {
			// A broken connection ends the reading of the body; no client is left to answer.
			pair.request.on('error', ignore);
			pair.response.on('error', ignore);
			outbox.open();
			const complete = await answer(pair);
			outbox.send(() => respond(pair, isDraining() ? {...complete, close: true} : complete, clock));
		},
	};
}

const ignore = () => {};

function webhookRequestOf(pair: HttpPair, {profile, route}: WebhookPath): WebhookRequest {
	const {request, response} = pair;
	return {
		method: request.method ?? '',
		profile,
		route,
		path: request.url ?? '',
		declaredBytes: declaredSize(request),
		async readBody(limit: number) {
			if (pair.awaitsContinue) {
				pair.awaitsContinue = false;
				response.writeContinue();
			}

			return readBody(request, limit);
		},
	};
}

const answerOf = (reply: Reply): HttpAnswer => ({
	...reply,
	close: false,
	...(reply.status === refusals.method.status && {allow: 'POST'}),
});

const metricsAnswer = (body: string): HttpAnswer => ({
	status: 200,
	body,
	contentType: 'text/plain; version=0.0.4; charset=utf-8',
	close: false,
});

/** 503 while the gateway drains or its store is unavailable, so that a load balancer uses another one. */
const healthAnswer = (status: 'ok' | 'stopping' | 'unavailable'): HttpAnswer => ({
	status: status === 'ok' ? 200 : 503,
	body: JSON.stringify({status, platform: 'webhook'}),
	close: false,
	...(status !== 'ok' && {retryAfterSeconds: refusals.stopping.retryAfterSeconds}),
});

/** Both names are decoded. `route` is `undefined` when the path names none, `profile` when it has no prefix. */
type WebhookPath = {
	readonly kind: 'webhook';
	readonly profile: string | undefined;
	readonly route: string | undefined;
};

type RequestPath = {readonly kind: 'health' | 'metrics'} | WebhookPath;

const webhooks = '/webhooks/';

const profiles = '/p/';

const nothing: WebhookPath = {kind: 'webhook', profile: undefined, route: undefined};

/**
 * Parses a path without its query. Anything but exactly one segment under `/webhooks/`, or under `/p/<one segment>/webhooks/`, is an unknown
 * route.
 *
 * @see manual/receiver.md#answers
 */
function parseRequestPath(path: string): RequestPath {
	if (path.startsWith(webhooks)) {
		return {
			kind: 'webhook',
			profile: undefined,
			route: decodeSegment(path.slice(webhooks.length)),
		};
	}

	switch (path) {
		case '/health':
			return {kind: 'health'};
		case '/metrics':
			return {kind: 'metrics'};
		default:
			return path.startsWith(profiles) ? parseProfilePath(path.slice(profiles.length)) : nothing;
	}
}

/** `<profile>/webhooks/<route>`. */
function parseProfilePath(path: string): WebhookPath {
	const end = path.indexOf('/');
	if (end === -1 || !path.startsWith(webhooks, end)) {
		return nothing;
	}

	const profile = decodeSegment(path.slice(0, end));
	const route = decodeSegment(path.slice(end + webhooks.length));
	return profile === undefined || route === undefined ? nothing : {kind: 'webhook', profile, route};
}

function decodeSegment(segment: string): string | undefined {
	if (segment === '' || segment.includes('/')) {
		return undefined;
	}

	if (!segment.includes('%')) {
		return segment;
	}

	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}

/** Values of `Sec-Fetch-Site` for a typed address and for a page of the same origin; a repeated header equals neither. */
const ownSites: ReadonlySet<string> = new Set(['none', 'same-origin']);

/**
 * Whether a page of another site in a browser sent the request: without a preflight, such pages can post text bodies to servers on loopback. Senders of webhooks
 * send no `Origin`. Pages served by this machine are accepted.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromForeignPage(headers: RequestHeaders): boolean {
	const origin = headerOf(headers, 'origin');
	return origin === undefined
		? !ownSites.has(headerOf(headers, 'sec-fetch-site') ?? 'none')
		: !isLoopbackHost(URL.parse(origin)?.hostname ?? '');
}

const anywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Classifies a reader of `/metrics`: allowed by `metrics.host`, a stranger, or a misled browser on this machine: a web page may use a name of its own that
 * resolves to this machine (DNS rebinding) and read the answer. A loopback `host` allows requests of this machine, except those that a proxy forwards.
 * A wildcard address allows all requests. Any other address allows this machine, and requests to that address under any name. Without `host` no request is allowed.
 *
 * @see manual/metrics.md
 */
function metricsReader(
	{socket, headers}: IncomingMessage,
	{authority}: RequestTarget,
	host: string | undefined,
): 'allowed' | 'stranger' | 'misled' {
	if (host === undefined) {
		return 'stranger';
	}

	if (anywhere.has(host)) {
		return 'allowed';
	}

	if (!isLoopbackHost(host) && plainAddress(socket.localAddress) === host) {
		return 'allowed';
	}

	const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
	if (isForwarded || !isLoopbackHost(plainAddress(socket.remoteAddress))) {
		return 'stranger';
	}

	// A request without a host is HTTP/1.0, and no browser sends that.
	return authority === undefined || isLoopbackHost(hostOfAuthority(authority))
		? 'allowed'
		: 'misled';
}

/** An address without the IPv6 prefix of mapped IPv4 addresses. */
const plainAddress = (address = '') => address.replace(/^::ffff:/, '');
