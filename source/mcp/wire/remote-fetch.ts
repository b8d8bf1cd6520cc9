import type {LookupFunction} from 'node:net';
import {Agent, type Dispatcher, fetch, ProxyAgent} from 'undici';
import type {Environment} from '../../config/environment.ts';
import {proxyOf} from '../../config/proxy-of.ts';
import type {RemoteEndpoint} from '../../config/tool-server.ts';
import type {ResolveName} from '../../core/address-scope.ts';
import {SvcError} from '../../core/errors.ts';
import {version} from '../../core/program.ts';
import {endpointPlace} from './address-guard.ts';
import {createEventMeter} from './event-meter.ts';
import {readTls, type ContextOptions} from './read-tls.ts';
import {requestTarget} from './request-target.ts';
import {watchedStream} from './stream-watch.ts';
import {maxMessageBytes, tooLargeError} from './synthetic-errors.ts';
import type {ServerAt, TransportParts} from './transport-parts.ts';

/** How much of an error page is read. */
const maxErrorBytes = 64 * 1024;

/** The limit for metadata and tokens, which are small. */
const maxOtherBytes = 1024 * 1024;

const connectTimeoutMs = 30_000;

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** How a server's requests are made. */
type FetchSettings = {
	readonly tls: ReturnType<typeof readTls>;
	readonly environment: Environment;
	readonly resolve?: ResolveName | undefined;
};

/** The fetch and the URL of a server as configured. @throws ConnectError for its URL, its headers or its certificate files */
export function openFetch(
	{name, endpoint}: ServerAt<RemoteEndpoint>,
	parts: Pick<TransportParts, 'environment' | 'authorities' | 'resolve'>,
) {
	const target = requestTarget(name, endpoint);
	const tls = readTls(name, endpoint.tls, parts);
	return {...createRemoteFetch(target, {...parts, tls}), url: target.url};
}

/**
 * Creates the fetch of a remote server: with its certificates, proxy and headers, bounded bodies, no cookies, and no time limits of its own. Configured headers
 * are sent only to the endpoint, never to an authorization server, and never replace the protocol's. Redirects are left to the caller. Other hosts, which the
 * server leads to, are looked up with `guardedLookup`.
 */
export function createRemoteFetch(
	{url: endpoint, headers}: ReturnType<typeof requestTarget>,
	{tls, environment, resolve}: FetchSettings,
) {
	const {home, ownLookup, guardedLookup} = endpointPlace(endpoint, {
		isProxied: proxyOf(endpoint, environment) !== undefined,
		resolve,
	});
	const dispatchers = createDispatchers(environment, {
		target: (isEndpoint, isTls) => ({
			...(isTls && (isEndpoint ? tls.endpoint() : tls.others())),
			lookup: isEndpoint ? ownLookup : guardedLookup,
		}),
		proxy: () => tls.others(),
	});

	const send = async (target: URL, init: RequestInit, isMcp: boolean): Promise<Response> => {
		const sent = new Headers(init.headers);
		for (const [name, value] of isMcp ? Object.entries(headers) : []) {
			if (!sent.has(name)) {
				sent.set(name, value);
			}
		}

		if (!sent.has('user-agent')) {
			sent.set('user-agent', `Svc-Agent/${version}`);
		}

		const response = await fetch(target, {
			method: init.method ?? 'GET',
			headers: [...sent],
			body: textOf(init.body),
			signal: init.signal ?? null,
			redirect: 'manual',
			dispatcher: dispatchers.of(target, target.origin === endpoint.origin),
		});
		return renew(response, isMcp);
	};

	return {
		fetch: async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
			const target = new URL(input);
			return send(target, init, isForEndpoint(target, init, endpoint));
		},
		/** How near the server is, by the connections of this fetch. */
		home,
		[Symbol.asyncDispose]: dispatchers[Symbol.asyncDispose],
	};
}

/**
 * Whether a request belongs to the tool server: one to its own path, or on the same origin to the path that an SSE server names for messages, or that the endpoint
 * redirects to. The latter contain JSON-RPC or request an event stream, which no authorization server is asked for.
 */
function isForEndpoint(target: URL, init: RequestInit, endpoint: URL): boolean {
	if (target.origin !== endpoint.origin) {
		return false;
	}

	const sent = new Headers(init.headers);
	return (
		target.pathname === endpoint.pathname ||
		(sent.get('accept') ?? '').includes('text/event-stream') ||
		sent.has('mcp-session-id') ||
		(sent.get('content-type') === 'application/json' &&
			typeof init.body === 'string' &&
			init.body.includes('"jsonrpc":"2.0"'))
	);
}

function textOf(body: RequestInit['body']): string | null {
	if (body === null || body === undefined || typeof body === 'string') {
		return body ?? null;
	}

	if (body instanceof URLSearchParams) {
		return body.toString();
	}

	throw new TypeError('A request body is a text');
}

/** Converts the response to Node's own class, which the SDK requires, with a bounded body. */
function renew(response: Awaited<ReturnType<typeof fetch>>, isMcp: boolean): Response {
	const {status, body} = response;
	if (status < 200 || status > 599) {
		const text = `It answered with HTTP ${status}, which does not exist`;
		throw new SvcError('mcp_connect_failed', text);
	}

	return new Response(withoutBody.has(status) || !body ? null : bound(body, response, isMcp), {
		status,
		statusText: response.statusText.replaceAll(/[^ -~]/g, ''),
		headers: [...response.headers],
	});
}

function bound(
	body: ReadableStream<Uint8Array>,
	{ok, headers}: {readonly ok: boolean; readonly headers: {get(name: string): string | null}},
	isMcp: boolean,
): ReadableStream<Uint8Array> {
	if (!ok) {
		return boundBody(body, {judge: limitBytes(maxErrorBytes, () => 'quietly')});
	}

	if (!isMcp || !/^text\/event-stream\b/i.test(headers.get('content-type') ?? '')) {
		return boundBody(body, {
			judge: limitBytes(isMcp ? maxMessageBytes : maxOtherBytes, tooLargeError),
		});
	}

	const watch = watchedStream.getStore();
	const meter = createEventMeter(maxMessageBytes);
	watch?.opened();
	return boundBody(body, {
		judge(chunk) {
			if (meter.push(chunk)) {
				return 'pass';
			}

			watch?.tooLarge();
			return {stop: tooLargeError()};
		},
		onEnd: isWhole => watch?.ended(isWhole ? meter.retryMs() : undefined),
	});
}

type ConnectOptions = Partial<ContextOptions> & {readonly lookup?: LookupFunction};

/** Connections by target, protocol and proxy, created on first use: reading what TLS needs takes a tenth of a second. */
function createDispatchers(
	environment: Environment,
	optionsOf: {
		readonly target: (isEndpoint: boolean, isTls: boolean) => ConnectOptions;
		/** For a proxy reached by TLS. */
		readonly proxy: () => ContextOptions;
	},
) {
	const made = new Map<string, Dispatcher>();

	return {
		of(target: URL, isEndpoint: boolean): Dispatcher {
			const proxy = proxyOf(target, environment) ?? '';
			const key = `${isEndpoint} ${target.protocol} ${proxy}`;
			const known =
				made.get(key) ??
				dispatcher(proxy, {
					target: optionsOf.target(isEndpoint, target.protocol === 'https:'),
					proxy: proxy.startsWith('https:') ? optionsOf.proxy() : {},
				});
			made.set(key, known);
			return known;
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([...made.values()].map(async each => each.destroy()));
		},
	};
}

function dispatcher(
	proxy: string,
	context: {readonly target: ConnectOptions; readonly proxy: Partial<ContextOptions>},
): Dispatcher {
	const connect = {...context.target, timeout: connectTimeoutMs};
	// Disables undici's time limits: answers take as long as a tool works, and streams can be silent for hours. Others watch the time.
	const patient = {headersTimeout: 0, bodyTimeout: 0, allowH2: false};
	return proxy === ''
		? new Agent({...patient, connect})
		: new ProxyAgent({...patient, uri: proxy, requestTls: connect, proxyTls: context.proxy});
}

type Bytes = ReadableStream<Uint8Array>;

/** The verdict on each chunk: `stop` ends the body there, with an error or as if complete. */
type ChunkVerdict = 'pass' | {readonly stop: Error | 'quietly'};

/**
 * The same body, read on demand (back-pressure) and only as far as `judge` allows; the rest is not fetched. `onEnd` is called once, with `isWhole` unless the body
 * broke off or was stopped with an error; not if the reader cancels.
 */
function boundBody(
	body: Bytes,
	{
		judge,
		onEnd = () => {},
	}: {
		readonly judge: (chunk: Uint8Array) => ChunkVerdict;
		readonly onEnd?: (isWhole: boolean) => void;
	},
): Bytes {
	const reader = body.getReader();
	const stop = () => reader.cancel().catch(() => {});

	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					const {done, value} = await reader.read();
					if (done) {
						controller.close();
						onEnd(true);
						return;
					}

					const verdict = judge(value);
					if (verdict === 'pass') {
						controller.enqueue(value);
						return;
					}

					void stop();
					if (verdict.stop !== 'quietly') {
						throw verdict.stop;
					}

					controller.enqueue(value);
					controller.close();
					onEnd(true);
				} catch (error) {
					controller.error(error);
					onEnd(false);
				}
			},
			cancel: async reason => reader.cancel(reason),
		},
		{highWaterMark: 0},
	);
}

/** Passes `maxBytes`, then stops as `above` says. */
function limitBytes(maxBytes: number, above: () => Error | 'quietly') {
	let bytes = 0;
	return (chunk: Uint8Array): ChunkVerdict => {
		bytes += chunk.length;
		return bytes > maxBytes ? {stop: above()} : 'pass';
	};
}
