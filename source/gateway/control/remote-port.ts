import type {IncomingMessage} from 'node:http';
import {type Clock, createTimer} from '../../core/clock.ts';
import {createListeners} from '../../core/derive.ts';
import {SvcError} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {isJsonObject} from '../../core/json.ts';
import type {LogRecord} from '../../core/log.ts';
import {version} from '../../core/program.ts';
import {isKnownEvent, reduce} from '../../core/reduce.ts';
import {type GatewayState, initialState} from '../../core/state.ts';
import type {GatewayPort} from '../port.ts';
import {createControlCalls} from './control-calls.ts';
import {open, shortSilenceMs} from './control-client.ts';
import {readEventStream, type StreamedMessage} from './event-stream.ts';

/** Pause between tries to reach a gateway that went away, and before its whole state is asked for again the first time. */
const reconnectMs = 2000;

/** Before a state is asked for that stays unreadable for one reason: each pause is twice the last one, up to this. */
const maxPauseMs = 60_000;

/** How many of its own log lines a face shows beside those of the gateway. */
const maxOwnRecords = 20;

/**
 * The gateway of another process. Resolves once its state has arrived; afterwards the state follows the event stream, and a lost stream is taken
 * up again every two seconds. What cannot be read is said and skipped; two seconds later the whole state is asked for again, and less and less often, down to once a
 * minute, while the reason stays the same.
 *
 * @throws SvcError `gateway_not_running`, `gateway_silent`, `gateway_unreadable`
 */
export async function connectGateway(
	{clock}: {readonly clock: Clock},
	{socket}: {readonly socket: string},
): Promise<GatewayPort> {
	let state: GatewayState = initialState;
	let stream: IncomingMessage | undefined;
	let left = false;
	const reconnect = createTimer(clock);
	let ownRecords: readonly LogRecord[] = [];
	let unreadable:
		| {readonly reason: string; readonly at: number; readonly pauseMs: number}
		| undefined;
	const listeners = createListeners<[events: readonly GatewayEvent[]]>();
	const first = Promise.withResolvers<void>();

	const tell = (events: readonly GatewayEvent[]) => {
		if (!left) {
			listeners.tell(events);
		}
	};

	const happen = (...events: readonly GatewayEvent[]) => {
		state = reduce(state, events);
		tell(events);
	};

	/** Says that something cannot be read, once for each reason until the whole state has come. */
	const skip = (reason: string) => {
		if (state.gateway.skipped !== reason) {
			const at = clock.now();
			const message = `Skipped something that the gateway said: ${reason}`;
			const record: LogRecord = {at, level: 'error', source: 'face', message, fields: {}};
			ownRecords = [...ownRecords, record].slice(-maxOwnRecords);
			happen({type: 'message-skipped', at, reason}, {type: 'log-written', at, record});
		}

		first.reject(
			new SvcError(
				'gateway_unreadable',
				`Cannot show the gateway: its state cannot be read (${reason}); a gateway of another version is ended with "svc gateway stop" and started again`,
			),
		);
	};

	const take = (message: StreamedMessage) => {
		const next = 'unreadable' in message ? message.unreadable : valueOf(message, state);
		if (typeof next === 'string') {
			skip(next);
			askAgainLater(next);
			return;
		}

		if (next.events) {
			state = next.state;
			tell(next.events);
			return;
		}

		const records: GatewayEvent[] = ownRecords.map(record => ({
			type: 'log-written',
			at: record.at,
			record,
		}));
		state = reduce(next.state, records);
		first.resolve();
		tell([]);
	};

	/** Follows one stream to its end; what comes of one that another has replaced is over. */
	const follow = async (opened: IncomingMessage) => {
		if (left) {
			opened.destroy();
			return;
		}

		const previous = stream;
		stream = opened;
		previous?.destroy();
		try {
			for await (const message of readEventStream(opened)) {
				if (stream !== opened) {
					return;
				}

				opened.setTimeout(0);
				take(message);
			}
		} catch {
			// A torn stream ends like a closed one: it is taken up again.
		}

		if (stream === opened) {
			first.reject(
				new SvcError('gateway_silent', 'Cannot follow the gateway: its event stream ended'),
			);
			lose();
		}
	};

	const openStream = async () => {
		const opened = await open(socket, '/v1/events', {silenceMs: shortSilenceMs});
		// Until the state has come; afterwards silence is allowed.
		opened.setTimeout(shortSilenceMs, () => {
			opened.destroy();
		});
		return opened;
	};

	const lose = () => {
		if (!left && state.gateway.reachable) {
			happen({type: 'gateway-lost', at: clock.now()});
		}

		reconnect.cancel();
		askAgainLater();
	};

	/** How long to wait before asking again for what cannot be read: a state of many megabytes is not fetched every two seconds for nothing. */
	const pauseAfter = (reason: string): number => {
		const at = clock.monotonic();
		const last = unreadable;
		const pauseMs =
			last?.reason === reason && at - last.at < 2 * maxPauseMs
				? Math.min(2 * last.pauseMs, maxPauseMs)
				: reconnectMs;
		unreadable = {reason, at, pauseMs};
		return pauseMs;
	};

	/** Opens the stream anew after a pause: it begins with the whole state. `reason`: what could not be read; absent when the gateway is away. */
	const askAgainLater = (reason?: string) => {
		if (!reconnect.isFree()) {
			return;
		}

		const pauseMs = reason === undefined ? reconnectMs : pauseAfter(reason);
		reconnect.set(pauseMs, () => {
			void (async () => {
				try {
					await follow(await openStream());
				} catch {
					// Still away: the next try follows.
					lose();
				}
			})();
		});
	};

	void follow(await openStream());
	try {
		await first.promise;
	} catch (error) {
		left = true;
		reconnect[Symbol.dispose]();
		stream?.destroy();
		throw error;
	}

	return {
		...createControlCalls(socket),
		embedded: false,
		getState: () => state,
		subscribe: listeners.subscribe,
		async [Symbol.asyncDispose]() {
			left = true;
			reconnect[Symbol.dispose]();
			stream?.destroy();
		},
	};
}

type Next = {readonly state: GatewayState; readonly events?: readonly GatewayEvent[]};

/** The state after a message, or why it cannot be one: the gateway may be of another version. */
function valueOf(
	{name, value}: Extract<StreamedMessage, {readonly value: unknown}>,
	state: GatewayState,
): Next | string {
	try {
		if (name === 'events') {
			if (Array.isArray(value)) {
				const events = value.filter(isKnownEvent);
				return {state: reduce(state, events), events};
			}
		}

		if (name === 'state' && isState(value)) {
			return {state: value};
		}
	} catch {
		// As below.
	}

	return `it is not what ${name === 'state' ? 'a state is' : 'events are'} to this version${versionsOf(value, state)}`;
}

/** Both versions, where the gateway said its own. */
function versionsOf(value: unknown, {gateway}: GatewayState): string {
	const said =
		isJsonObject(value) && isJsonObject(value['gateway']) ? value['gateway']['version'] : undefined;
	const other = typeof said === 'string' ? said : gateway.version;
	return other === '' || other === version ? '' : `, svc ${version}; the gateway is svc ${other}`;
}

/** Whether everything that this version always has is there and of its kind, and could be drawn; members of the lists are not checked: that would take too long. */
const isState = (value: unknown): value is GatewayState =>
	isJsonObject(value) &&
	Object.entries(initialState).every(([key, known]) =>
		Array.isArray(known) ? Array.isArray(value[key]) : isJsonObject(value[key]),
	);
