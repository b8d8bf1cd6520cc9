import {once} from 'node:events';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {type HttpPair, respond, requestTargetOf} from '../../http/http-messages.ts';
import {createHttpServer, type HttpServer, usualLimits} from '../../http/http-server.ts';
import {listen} from '../../http/listen.ts';
import {isSameText} from '../oauth/client-identity.ts';
import {type CallbackOutcome, callbackPage} from './callback-page.ts';

/** The browser's answer. */
export type CallbackAnswer = {
	readonly params: URLSearchParams;
	/** Ends the browser's request with a page, or with a redirect to a URL. Only the first call counts. */
	readonly reply: (outcome: CallbackOutcome | URL) => void;
};

/** The redirect target of browsers: a port of this machine, bound until disposed. */
export type CallbackListener = Awaited<ReturnType<typeof listenForCallback>>;

type Waiting = {
	readonly path: string;
	readonly state: string;
	readonly resolve: (answer: CallbackAnswer) => void;
};

/** Authorization codes that are signed texts take kilobytes. */
const limits = {...usualLimits, maxConnections: 32, maxHeaderBytes: 65_536};

/**
 * Listens on `port` (0: any) on the loopback interface only: IPv4, and for `localhost` also IPv6. Accepts `GET` of an expected path with an expected `state`;
 * refuses everything else without effect.
 *
 * @throws SvcError `port_in_use`, `port_forbidden`, `listen_failed`
 */
export async function listenForCallback(place: CallbackPlace) {
	const {clock, alias} = place;
	const waiting = new Set<Waiting>();
	const replies = new Set<(outcome: CallbackOutcome) => void>();

	const handle = async (pair: HttpPair): Promise<void> => {
		const {request, response} = pair;
		const {authority, path} = requestTargetOf(request);
		if (!isOurs(authority, bound) && authority !== alias) {
			// Another site's name may resolve to this address: DNS rebinding.
			respond(pair, refusal(421, 'Misdirected Request'), clock);
			return;
		}

		const expected = [...waiting].filter(one => one.path === path);
		if (expected.length === 0 && path !== '/callback') {
			respond(pair, refusal(404, 'Not Found'), clock);
			return;
		}

		if (request.method !== 'GET') {
			respond(pair, {...refusal(405, 'Method Not Allowed'), allow: 'GET'}, clock);
			return;
		}

		const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
		const found = expected.find(({state}) => isSameText(state, params.get('state')));
		if (!found) {
			respond(pair, callbackPage('foreign'), clock);
			return;
		}

		waiting.delete(found);
		const {promise: replied, resolve: reply} = Promise.withResolvers<CallbackOutcome | URL>();
		replies.add(reply);
		response.once('close', () => replies.delete(reply));
		found.resolve({params, reply});
		const outcome = await replied;
		replies.delete(reply);
		respond(pair, answerOf(outcome), clock);
	};

	const servers = await listenOn(place, handle);
	const bound = portOf(servers[0]);
	return {
		port: bound,
		/** Resolves once with the answer to the login of this `state`. Rejects with the reason of `signal`. */
		async expect(
			{path, state}: {readonly path: string; readonly state: string},
			signal: AbortSignal,
		): Promise<CallbackAnswer> {
			signal.throwIfAborted();
			return new Promise((resolve, reject) => {
				const onAbort = () => {
					waiting.delete(one);
					reject(signal.reason);
				};

				const one = {
					path,
					state,
					resolve(answer: CallbackAnswer) {
						signal.removeEventListener('abort', onAbort);
						resolve(answer);
					},
				};
				waiting.add(one);
				signal.addEventListener('abort', onAbort, {once: true});
			});
		},
		async [Symbol.asyncDispose]() {
			for (const reply of replies) {
				reply('failed');
			}

			await Promise.all(servers.map(close));
		},
	};
}

type CallbackPlace = {
	readonly clock: Clock;
	readonly port: number;
	/** Another name with its port by which browsers may come: that of a proxy in front of this port. */
	readonly alias?: string;
	/** The advertised address is `localhost`. */
	readonly asLocalhost?: boolean;
};

async function listenOn(
	{clock, port, asLocalhost = false}: CallbackPlace,
	handle: (pair: HttpPair) => Promise<void>,
): Promise<readonly HttpServer[]> {
	const create = () =>
		createHttpServer(
			{handle, clock, log: silentLogger, onRefused() {}, onEvicted() {}, onDropped() {}},
			limits,
		);
	const first = create();
	await listen(first.server, {host: '127.0.0.1', port}, 'oauth');
	if (!asLocalhost) {
		return [first];
	}

	const second = create();
	try {
		await listen(second.server, {host: '::1', port: portOf(first)}, 'oauth');
		return [first, second];
	} catch (error) {
		if (error instanceof SvcError && error.code === 'host_unavailable') {
			return [first];
		}

		await close(first);
		throw error;
	}
}

async function close(http: HttpServer): Promise<void> {
	const closed = once(http.server, 'close');
	http.server.close();
	http.closeIdle();
	await closed;
}

function portOf(http: HttpServer | undefined): number {
	const address = http?.server.address();
	return typeof address === 'object' && address ? address.port : 0;
}

/** Whether a request names this machine by one of its own names. */
const isOurs = (authority: string | undefined, port: number): boolean =>
	['127.0.0.1', 'localhost', '[::1]'].some(host => authority?.toLowerCase() === `${host}:${port}`);

const refusal = (status: number, text: string) => ({
	status,
	body: `${text}\n`,
	contentType: 'text/plain; charset=utf-8',
	close: true,
});

const answerOf = (outcome: CallbackOutcome | URL) =>
	outcome instanceof URL
		? {
				...refusal(303, 'See Other'),
				headers: {Location: outcome.href, 'Referrer-Policy': 'no-referrer'},
			}
		: callbackPage(outcome);
