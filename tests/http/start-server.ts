import {once} from 'node:events';
import {createLogger} from '../../source/core/log.ts';
import {respond, readBody} from '../../source/http/http-messages.ts';
import {
	createHttpServer,
	usualLimits,
	type HttpLimits,
	type HttpServer,
} from '../../source/http/http-server.ts';
import {listen} from '../../source/http/listen.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';

export type TestServer = AsyncDisposable & {
	readonly port: number;
	readonly http: HttpServer;
	readonly clock: FakeClock;
	/** Lines of the log: `warn Closed …`. */
	readonly log: readonly string[];
	readonly refused: readonly number[];
	readonly counts: () => {
		readonly evicted: number;
		readonly dropped: number;
		readonly open: number;
		/** Requests for `/wait` that wait. */
		readonly waiting: number;
	};
	/** Lets every request for `/wait` be answered. */
	go(): void;
};

const largeBody = 'x'.repeat(16 * 1024 * 1024);

/** A server on a free port that answers `/wait` when it is told to, `/large` with 16 MiB, fails at `/fail`, and answers everything else, its body read, with `{}`. */
export async function startServer(limits: Partial<HttpLimits> = {}): Promise<TestServer> {
	const clock = createFakeClock();
	const log: string[] = [];
	const refused: number[] = [];
	let evicted = 0;
	let dropped = 0;
	let waiting = 0;
	const gate = Promise.withResolvers<void>();
	const http = createHttpServer(
		{
			async handle(pair) {
				await readBody(pair.request, 1_000_000);
				if (pair.request.url === '/wait') {
					waiting += 1;
					await gate.promise;
				}

				if (pair.request.url === '/fail') {
					throw new Error('the engine is out of reach');
				}

				const body = pair.request.url === '/large' ? largeBody : '{}';
				respond(pair, {status: 200, body, close: false}, clock);
			},
			clock,
			log: createLogger({
				clock,
				redact: text => text,
				write: ({level, message}) => {
					log.push(`${level} ${message}`);
				},
			}),
			onRefused: status => refused.push(status),
			onEvicted() {
				evicted += 1;
			},
			onDropped() {
				dropped += 1;
			},
		},
		{...usualLimits, ...limits},
	);
	const url = await listen(http.server, {host: '127.0.0.1', port: 0}, 'test');
	return {
		port: Number(new URL(url).port),
		http,
		clock,
		log,
		refused,
		counts: () => ({evicted, dropped, open: http.connections(), waiting}),
		go: gate.resolve,
		async [Symbol.asyncDispose]() {
			gate.resolve();
			if (!http.server.listening) {
				return;
			}

			const closed = once(http.server, 'close');
			http.server.close();
			http.server.closeAllConnections();
			await closed;
		},
	};
}
