import type {Server} from 'node:http';
import {sleep, type Clock, type Busy} from '../core/clock.ts';
import type {HttpServer} from './http-server.ts';

/** Clients with an open connection learn from their next answer that it closes. */
const politeMs = 1000;

const hardMs = 5000;

/** From there to the cut: who is in the middle of a stream hears why it ends. */
const lastWordMs = 250;

/** What is cut ends at once; this is for what does not notice. */
const giveUpMs = 6000;

export type Draining = {
	readonly clock: Clock;
	/** Requests being handled, also those whose client has left. */
	readonly busy: Busy;
	/** Called once, after 5 s: whatever still works must stop. */
	readonly onHardStop: () => void;
};

/**
 * Ends a server without losing an answer: open connections are answered with `Connection: close` for up to 1 s, then no new ones are
 * taken, what still works after 5 s is stopped, and what is open then is cut a moment later. `server.close()` alone never ends under a busy keep-alive client. Resolves when nothing is left, after 6 s at
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

/** A server that never listened is closed already. */
const closeServer = async (server: Server): Promise<void> =>
	new Promise(resolve => {
		server.close(() => resolve());
	});
