import {sleep, type Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {cell} from '../core/untrusted.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {Hearing, Listener, ListeningState} from '../platforms/listener.ts';

/** Pause before the next connection: this long, then twice as long each time, up to the most. One that held so long begins anew. Milliseconds. */
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
			const pauseMs = isFinal
				? Infinity
				: Math.max(
						told,
						Math.min(mostPauseMs, firstPauseMs * 2 ** Math.min(20, Math.max(0, failures - 1))) *
							(0.5 + random() / 2),
					);
			if (error !== undefined) {
				onState({
					state: 'failed',
					reason: cell(error instanceof DeliveryError ? error.reason : messageOf(error), 400).text,
					...(!isFinal && {nextTry: clock.now() + pauseMs}),
				});
			}

			// oxlint-disable-next-line no-await-in-loop
			await pause(clock, pauseMs, signal);
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

/** Resolves after so long, or when `signal` aborts. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	try {
		await (ms === Infinity
			? new Promise<void>(resolve => {
					signal.addEventListener('abort', () => resolve(), {once: true});
				})
			: sleep(clock, ms, signal));
	} catch {
		// It was told to end.
	}
}
