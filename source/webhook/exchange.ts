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
	/** Whether this gateway cannot reach the store that it shares with others, which may still accept requests. */
	readonly isUnavailable: () => boolean;
	/** The setting `metrics.host`. */
	readonly metricsHost: () => string | undefined;
};

/** Connects HTTP to the response table: parses path and method, writes status and headers. @see manual/receiver.md#answers */
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
			// Errors are ignored: on a broken connection `readBody` ends, and no client is left to answer.
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

/** 503 while the gateway drains or its store is unavailable, so that a load balancer uses another gateway. */
const healthAnswer = (status: 'ok' | 'stopping' | 'unavailable'): HttpAnswer => ({
	status: status === 'ok' ? 200 : 503,
	body: JSON.stringify({status, platform: 'webhook'}),
	close: false,
	...(status !== 'ok' && {retryAfterSeconds: refusals.stopping.retryAfterSeconds}),
});

/** Both names are decoded. `route` is `undefined` if the path names no route, `profile` if it does not start with `/p/<profile>`. */
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

/** Parses `<profile>/webhooks/<route>`. */
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

/** `Sec-Fetch-Site` of typed addresses and of pages of the same origin. A repeated header is joined by a comma and equals neither. */
const ownSites: ReadonlySet<string> = new Set(['none', 'same-origin']);

/**
 * Whether a web page of another site sent the request: browsers let such pages post text to loopback servers without a preflight. Senders of webhooks send no `Origin`. Pages
 * that this machine serves are accepted.
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
 * Decides by `metrics.host` who may read `/metrics`. No host: nobody. A wildcard address: everybody. A loopback address: this machine, unless a proxy forwarded the request.
 * Any other address: as loopback, and requests that arrive at that address.
 *
 * `misled`: a browser on this machine followed a name which a web page made resolve to this machine (DNS rebinding), so that the page could read the answer.
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

	// Without a host the request is HTTP/1.0, which no browser sends.
	return authority === undefined || isLoopbackHost(hostOfAuthority(authority))
		? 'allowed'
		: 'misled';
}

/** An address without the IPv6 prefix of mapped IPv4 addresses. */
const plainAddress = (address = '') => address.replace(/^::ffff:/, '');
