import type {Server} from 'node:http';
import {sleep, type Clock, type Busy} from '../core/clock.ts';
import type {HttpServer} from './http-server.ts';

/** How long answers carry `Connection: close` while new connections are still accepted. */
const politeMs = 1000;

const hardMs = 5000;

/** Time from the hard stop until connections are closed, in which streams can still send the reason of their end. */
const lastWordMs = 250;

/** After this time `drain` resolves although work goes on. */
const giveUpMs = 6000;

export type Draining = {
	readonly clock: Clock;
	/** Requests being handled, including those of disconnected clients. */
	readonly busy: Busy;
	/** Called once, after 5 s: running work must stop. */
	readonly onHardStop: () => void;
};

/**
 * Closes a server without losing answers. For up to 1 s answers carry `Connection: close`; then no new connections are accepted. After 5 s running work is stopped, and 250 ms
 * later open connections are closed. Resolves when all is closed, after 6 s at the latest. `server.close()` alone never ends with a busy keep-alive client.
 */
export async function drain(http: HttpServer, {clock, busy, onHardStop}: Draining): Promise<void> {
	const polite = http.connections() === 0 ? Promise.resolve() : sleep(clock, politeMs);
	const timers = [
		clock.after(hardMs, () => onHardStop()),
		clock.after(hardMs + lastWordMs, () => http.server.closeAllConnections()),
	];

	await new Promise<void>(resolve => {
		timers.push(clock.after(giveUpMs, resolve));
		void (async () => {
			await polite;
			const closed = closeServer(http.server);
			http.closeIdle();
			await Promise.all([closed, busy.idle()]);
			resolve();
		})();
	});
	for (const cancel of timers) {
		cancel();
	}
}

/** Also resolves for a server that never listened. */
const closeServer = async (server: Server): Promise<void> =>
	new Promise(resolve => {
		server.close(() => resolve());
	});
