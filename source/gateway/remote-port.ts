import type {IncomingMessage} from 'node:http';
import {createInterface} from 'node:readline';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {GatewayEvent} from '../core/events.ts';
import {reduce} from '../core/reduce.ts';
import {type GatewayState, initialState} from '../core/state.ts';
import {createControlCalls} from './control-calls.ts';
import {open, shortSilenceMs} from './control-client.ts';
import type {GatewayPort} from './port.ts';

/** Pause between tries to reach a gateway that went away. */
const reconnectMs = 2000;

/**
 * The gateway of another process. Resolves once its state has arrived; afterwards the state follows the event stream, and a lost stream is taken
 * up again every two seconds.
 *
 * @throws SvcError `gateway_not_running`
 */
export async function connectGateway(
	{clock}: {readonly clock: Clock},
	{socket}: {readonly socket: string},
): Promise<GatewayPort> {
	let state: GatewayState = initialState;
	let stream: IncomingMessage | undefined;
	let left = false;
	let cancelReconnect: (() => void) | undefined;
	const listeners = new Set<(events: readonly GatewayEvent[]) => void>();

	const tell = (events: readonly GatewayEvent[]) => {
		for (const listener of listeners) {
			listener(events);
		}
	};

	/** Follows one stream to its end. `onFirst` is called when the state has arrived. */
	const follow = async (opened: IncomingMessage, onFirst?: () => void) => {
		if (left) {
			opened.destroy();
			return;
		}

		stream = opened;
		await readStream(opened, {
			onState(next) {
				state = next;
				onFirst?.();
				tell([]);
			},
			onEvents(events) {
				state = reduce(state, events);
				tell(events);
			},
		});
	};

	const reconnectLater = () => {
		if (left) {
			return;
		}

		if (state.gateway.reachable) {
			const event: GatewayEvent = {type: 'gateway-lost', at: clock.now()};
			state = reduce(state, [event]);
			tell([event]);
		}

		cancelReconnect = clock.after(reconnectMs, () => {
			void (async () => {
				try {
					await follow(await open(socket, '/v1/events', {silenceMs: shortSilenceMs}));
				} catch {
					// Still away: the next try follows.
				}

				reconnectLater();
			})();
		});
	};

	const first = Promise.withResolvers<void>();
	const opened = await open(socket, '/v1/events', {silenceMs: shortSilenceMs});
	void follow(opened, first.resolve).finally(() => {
		first.reject(
			new SvcError('gateway_silent', 'Cannot follow the gateway: its event stream ended'),
		);
		reconnectLater();
	});
	await first.promise;

	return {
		...createControlCalls(socket),
		embedded: false,
		getState: () => state,
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		async [Symbol.asyncDispose]() {
			left = true;
			cancelReconnect?.();
			listeners.clear();
			stream?.destroy();
		},
	};
}

/** Reads the event stream until it ends. Never rejects. */
async function readStream(
	stream: IncomingMessage,
	{
		onState,
		onEvents,
	}: {
		readonly onState: (state: GatewayState) => void;
		readonly onEvents: (events: readonly GatewayEvent[]) => void;
	},
): Promise<void> {
	let event = '';
	try {
		for await (const line of createInterface({input: stream, crlfDelay: Infinity})) {
			if (line.startsWith('event: ')) {
				event = line.slice(7);
			} else if (line.startsWith('data: ') && event === 'state') {
				onState(JSON.parse(line.slice(6)));
			} else if (line.startsWith('data: ')) {
				onEvents(JSON.parse(line.slice(6)));
			}
		}
	} catch {
		// A torn stream ends like a closed one: the caller takes it up again.
	}
}
