import type {Server} from 'node:http';
import {sleep, type Clock, type Busy} from '../core/clock.ts';
import type {HttpServer} from './http-server.ts';

/** Time in which answers tell clients with open connections to close them. */
const politeMs = 1000;

const hardMs = 5000;

/** Time between the hard stop and the cut, in which streams can still send the reason of their end. */
const lastWordMs = 250;

/** Longest time for work that ignores the cut. */
const giveUpMs = 6000;

export type Draining = {
	readonly clock: Clock;
	/** Requests being handled, also those of disconnected clients. */
	readonly busy: Busy;
	/** Called once, after 5 s: running work must stop. */
	readonly onHardStop: () => void;
};

/**
 * Closes a server without losing answers: for up to 1 s answers carry `Connection: close`, then no new connections are
 * accepted, running work is stopped after 5 s, and open connections are cut a moment later. `server.close()` alone never ends with a busy keep-alive client. Resolves when all is closed, after 6 s at
 * the latest.
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
