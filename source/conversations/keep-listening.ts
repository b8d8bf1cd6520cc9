import {sleep, type Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {Hearing, Listener, ListeningState} from '../platforms/listener.ts';

/** Pause before the next connection: this long, then twice as long each time, up to the most, which also follows where the settings are refused: platforms say so of what passes, too. One that held so long begins anew. Milliseconds. */
const firstPauseMs = 1000;
const mostPauseMs = 300_000;
const steadyMs = 60_000;

/** Listens to a platform, connection after connection, until it is disposed of; resolves then once the last has ended. */
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
		/** From 0 to 1. */
		readonly random: () => number;
		readonly hearing: Omit<Hearing, 'onListening'>;
		/** What was kept last. */
		readonly cursor: () => Promise<JsonValue | undefined>;
		/** Hears of every change; must not throw. */
		readonly onState: (state: ListeningState) => void;
	},
): AsyncDisposable {
	const ending = new AbortController();
	const {signal} = ending;

	const connect = async () => {
		let began: number | undefined;
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
			return {heldMs: began === undefined ? 0 : clock.monotonic() - began};
		} catch (error) {
			return {error, heldMs: began === undefined ? 0 : clock.monotonic() - began};
		}
	};

	const listen = async () => {
		let failures = 0;
		while (!signal.aborted) {
			// oxlint-disable-next-line no-await-in-loop -- one connection after the other
			const {error, heldMs} = await connect();
			if (signal.aborted) {
				return;
			}

			// One that ends at once as usual, again and again, is paused as well.
			failures = heldMs >= steadyMs ? 0 : failures + 1;
			if (error === undefined && failures <= 1) {
				continue;
			}

			const isFinal = error instanceof DeliveryError && !error.retryable;
			const told = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
			const grownMs = firstPauseMs * 2 ** Math.min(20, Math.max(0, failures - 1));
			const usualMs = Math.min(mostPauseMs, grownMs) * (0.5 + random() / 2);
			const pauseMs = Math.max(told, isFinal ? mostPauseMs : usualMs);
			onState(
				error === undefined
					? {state: 'connecting'}
					: {
							state: 'failed',
							reason: escapeLine(
								error instanceof DeliveryError ? error.reason : messageOf(error),
								400,
							),
							nextTry: clock.now() + pauseMs,
						},
			);
			// It rejects where it is told to end.
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
