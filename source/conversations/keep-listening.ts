import {sleep, type Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {Hearing, Listener, ListeningState} from '../platforms/listener.ts';

/**
 * Delay before the next connection, milliseconds: doubles from the first value to the maximum. The maximum is also used after a refusal of the settings, since platforms
 * sometimes refuse temporarily.
 */
const firstPauseMs = 1000;
const mostPauseMs = 300_000;

/** A connection that lasts this long resets the delay, milliseconds. */
const steadyMs = 60_000;

/** Listens to a platform, reconnecting whenever a connection ends. Disposal ends the last one and waits for its end. */
export function keepListening(
	listener: Listener,
	{
		clock,
		random,
		hearing,
		cursor,
		onState,
	}: {
		readonly clock: Clock;
		/** Returns a number from 0 to 1. */
		readonly random: () => number;
		readonly hearing: Omit<Hearing, 'onListening'>;
		/** The last stored cursor. */
		readonly cursor: () => Promise<JsonValue | undefined>;
		/** Called on every change; must not throw. */
		readonly onState: (state: ListeningState) => void;
	},
): AsyncDisposable {
	const ending = new AbortController();
	const {signal} = ending;

	const connect = async () => {
		let began: number | undefined;
		let error: unknown;
		onState({state: 'connecting'});
		try {
			await listener.listen(
				{
					...hearing,
					onListening(note) {
						began = clock.monotonic();
						onState({state: 'listening', ...(note !== undefined && {note})});
					},
				},
				{cursor: await cursor(), signal},
			);
		} catch (caught) {
			error = caught;
		}

		return {error, heldMs: began === undefined ? 0 : clock.monotonic() - began};
	};

	const listen = async () => {
		let failures = 0;
		while (!signal.aborted) {
			// oxlint-disable-next-line no-await-in-loop -- sequential connections
			const {error, heldMs} = await connect();
			if (signal.aborted) {
				return;
			}

			// Connections that end at once without an error are also delayed, from the second on.
			failures = heldMs >= steadyMs ? 0 : failures + 1;
			if (error === undefined && failures <= 1) {
				continue;
			}

			const failure = error instanceof DeliveryError ? error : undefined;
			const grownMs = firstPauseMs * 2 ** Math.min(20, Math.max(0, failures - 1));
			const usualMs = Math.min(mostPauseMs, grownMs) * (0.5 + random() / 2);
			const leastMs = failure?.retryable === false ? mostPauseMs : usualMs;
			const pauseMs = Math.max(failure?.retryAfterMs ?? 0, leastMs);
			const reason = escapeLine(failure?.reason ?? messageOf(error), 400);
			onState(
				error === undefined
					? {state: 'connecting'}
					: {state: 'failed', reason, nextTry: clock.now() + pauseMs},
			);
			// Rejects on disposal.
			// oxlint-disable-next-line no-await-in-loop
			await sleep(clock, pauseMs, signal).catch(() => {});
		}
	};

	const listening = listen();
	return {
		async [Symbol.asyncDispose]() {
			ending.abort();
			await listening;
		},
	};
}
