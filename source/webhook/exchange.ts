import type {IncomingMessage} from 'node:http';
import type {Clock} from '../core/clock.ts';
import {isLoopbackHost} from '../core/hosts.ts';
import {respond, type HttpAnswer, type HttpPair, createOutbox} from '../http/http-answer.ts';
import {
	declaredSize,
	readBody,
	requestTargetOf,
	hostOf,
	type RequestTarget,
} from '../http/read-body.ts';
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
	/** Whether nothing can be accepted now, and another gateway on the same store may do better. */
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
			// A connection that breaks ends the reading of the body; there is nobody left to tell.
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

/** While the gateway drains, or its store is away, a balancer should send its requests elsewhere. */
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
 * What a path without its query names. Everything that is not exactly one segment under `/webhooks/`, or under `/p/<one segment>/webhooks/`, is an unknown
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

const sitesOfOthers: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * Whether a page of another site in somebody's browser sent this: it reaches what listens on loopback, without asking, as long as the body says that it is text. Senders of webhooks
 * name no origin. A page that this machine itself serves is nobody's stranger.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromForeignPage(headers: RequestHeaders): boolean {
	const origin = headerOf(headers, 'origin');
	return origin === undefined
		? sitesOfOthers.has(headerOf(headers, 'sec-fetch-site') ?? '')
		: !isLoopbackHost(URL.parse(origin)?.hostname ?? '');
}

const anywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Who asks for `/metrics`: somebody whom `metrics.host` allows, a stranger, or a browser on this machine that was misled: a web page may ask under a name of its own that
 * resolves to this machine (DNS rebinding), and would read the answer. A loopback `host` allows this machine itself, which a proxy on this machine that passes a request on is
 * not. A wildcard address allows everybody. Another address: this machine, and requests that came in through that address, under whatever name. None: nobody.
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

	// A request without a host is HTTP/1.0, no browser's.
	return authority === undefined || isLoopbackHost(hostOf(authority)) ? 'allowed' : 'misled';
}

/** An IPv4 address as such, also on a socket for both families. */
const plainAddress = (address = '') => address.replace(/^::ffff:/, '');
