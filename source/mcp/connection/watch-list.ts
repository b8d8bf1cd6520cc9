import {type Clock, sleep} from '../../core/clock.ts';
import type {OpenConnection} from './open-connection.ts';

/** The shortest time between two listings of a server that keeps announcing changes. */
const pauseMs = 1000;

const firstRetryMs = 1000;
const maxRetryMs = 60_000;

const methodNotFound = -32_601;

/**
 * While a connection lives, calls `refresh` when the server announces changed tools: one call at a time, at most once a second, and once more if another
 * announcement came meanwhile. `refresh` must not reject. A legacy server announces unasked, a modern one over a subscription. A broken subscription is reopened
 * after growing pauses, followed by a `refresh` for what was missed.
 */
export function watchList(
	connection: OpenConnection,
	{clock, refresh}: {readonly clock: Clock; readonly refresh: () => Promise<void>},
): void {
	if (!connection.client.getServerCapabilities()?.tools?.listChanged) {
		return;
	}

	let running = false;
	let again = false;
	const changed = async () => {
		again = true;
		if (running) {
			return;
		}

		running = true;
		try {
			while (again) {
				again = false;
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				await refresh();
				// oxlint-disable-next-line no-await-in-loop -- a pause between two
				await sleep(clock, pauseMs, connection.signal);
			}
		} catch {
			// The connection has ended.
		} finally {
			running = false;
		}
	};

	connection.client.setNotificationHandler('notifications/tools/list_changed', () => {
		void changed();
	});
	if (connection.era === 'modern') {
		void subscribe(connection, clock, () => {
			void changed();
		});
	}
}

/** Keeps a subscription open; never rejects. */
async function subscribe(
	connection: OpenConnection,
	clock: Clock,
	onMissed: () => void,
): Promise<void> {
	let retryMs = firstRetryMs;
	let hasOpened = false;
	while (!connection.signal.aborted) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one subscription after the other
			const subscription = await connection.client.listen(
				{toolsListChanged: true},
				{signal: connection.signal},
			);
			if (hasOpened) {
				onMissed();
			}

			hasOpened = true;
			const start = clock.monotonic();
			// oxlint-disable-next-line no-await-in-loop -- as long as it lasts
			if ((await subscription.closed) === 'local') {
				return;
			}

			if (clock.monotonic() - start > maxRetryMs) {
				retryMs = firstRetryMs;
			}
		} catch (error) {
			// The server claims to support subscriptions but does not.
			if (error instanceof Error && 'code' in error && error.code === methodNotFound) {
				return;
			}
		}

		try {
			// oxlint-disable-next-line no-await-in-loop -- a pause between two
			await sleep(clock, retryMs, connection.signal);
		} catch {
			return;
		}

		retryMs = Math.min(retryMs * 2, maxRetryMs);
	}
}
