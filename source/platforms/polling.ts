import {type Clock, sleep} from '../core/clock.ts';
import {readConnection} from './connection.ts';

const pauseMs = 1000;

/**
 * One connection of a listener that polls: does `connect`, and then `poll` over and over until `signal` aborts. `poll` says whether anything came: a server that has nothing and does not wait
 * for it is asked once a second.
 *
 * @throws as `readConnection`
 */
export async function pollWhile(
	platform: string,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
	connect: () => Promise<() => Promise<boolean>>,
): Promise<void> {
	await readConnection(platform, signal, async () => {
		const poll = await connect();
		while (!signal.aborted) {
			const since = clock.monotonic();
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			if (!(await poll()) && clock.monotonic() - since < pauseMs) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				await sleep(clock, pauseMs, signal);
			}
		}
	});
}
