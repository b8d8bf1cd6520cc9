import {createBusy} from '../core/clock.ts';
import type {World} from '../core/world.ts';
import {drain} from '../http/drain.ts';
import {createHttpServer, usualLimits, type HttpLimits} from '../http/http-server.ts';
import {listen} from '../http/listen.ts';
import {answerRequest, type RequestWorld} from './answer-request.ts';
import {stopping, unheard} from './http/api-error.ts';
import {createBodyRoom} from './http/body-room.ts';
import type {Endpoint} from './http/endpoint.ts';
import {requestIdOf} from './http/request-id.ts';
import type {KeyDesk} from './keys/desk.ts';

export type ApiServer = ReturnType<typeof createApiServer>;

/** Clients keep connections for the next turn of a conversation; Node's five seconds would end many of them in the moment in which they are used. */
const keepAliveTimeoutMs = 75_000;

/** A request of 10 MiB on a slow line takes longer than a webhook event. */
const requestTimeoutMs = 60_000;

/** The server of the chat API. One instance listens once; after a refusal or a close make another. */
export function createApiServer(
	{
		clock,
		log,
		keys,
		endpoints,
		limits,
	}: Pick<RequestWorld, 'limits'> &
		Pick<World, 'clock' | 'log'> & {
			readonly keys: KeyDesk;
			readonly endpoints: readonly Endpoint[];
		},
	{
		http: httpLimits = {},
		...options
	}: {
		readonly host: string;
		readonly port: number;
		/** Limits that differ from the defaults. */
		readonly http?: Partial<HttpLimits>;
	},
) {
	const busy = createBusy();
	const hardStop = new AbortController();
	let draining = false;
	const world: RequestWorld = {
		clock,
		log,
		keys,
		endpoints,
		room: createBodyRoom(),
		limits,
		stopping: hardStop.signal,
		isDraining: () => draining,
	};
	const http = createHttpServer(
		{
			async handle(pair) {
				const end = busy.begin();
				try {
					await answerRequest(pair, world);
				} finally {
					end();
				}
			},
			clock,
			log,
			onRefused() {},
			onEvicted() {},
			onDropped() {},
			refusal: (status, why, request) => ({
				body: JSON.stringify({error: unheard(status, why).body}),
				headers: {'x-request-id': requestIdOf(request?.headers['x-request-id'])},
			}),
		},
		{...usualLimits, keepAliveTimeoutMs, requestTimeoutMs, ...httpLimits},
	);

	return {
		/** @throws SvcError `port_in_use`, `port_forbidden`, `host_unavailable`, `listen_failed` */
		listen: async (): Promise<{readonly url: string}> => ({
			url: await listen(http.server, options, 'api'),
		}),
		/** Drains as the receiver does; streams are cut after 5 s. */
		async close(): Promise<void> {
			draining = true;
			await drain(http, {
				clock,
				busy,
				onHardStop: () => hardStop.abort(stopping()),
			});
			hardStop.abort();
		},
		/** Number of requests under way. */
		get active(): number {
			return busy.count;
		},
	};
}
