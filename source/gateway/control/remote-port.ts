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

/** Delay before reconnecting to a gateway that went away, and before the whole state is requested again for the first time, milliseconds. */
const reconnectMs = 2000;

/** Maximum delay before the state is requested again while it stays unreadable for the same reason; the delay doubles up to this. */
const maxPauseMs = 60_000;

/** How many of its own log lines a face adds to those of the gateway. */
const maxOwnRecords = 20;

/**
 * Connects to the gateway of another process. Resolves once its state has arrived; then the state follows the event stream, and a lost stream is reopened after two
 * seconds. An unreadable message is reported and skipped, and the whole state is requested again two seconds later; while the reason stays the same, that delay doubles up
 * to a minute.
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

	/** Reports an unreadable message, once per reason until a whole state arrives. */
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

	/** Follows one stream to its end; once another stream has replaced it, its messages are ignored. */
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
			// A broken stream is handled like an ended one: it is reopened.
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
		// Only until the state has arrived; afterwards silence is allowed.
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

	/** Delay before an unreadable state is requested again: it may have many megabytes, so not every two seconds. */
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

	/** Reopens the stream after a delay: it begins with the whole state. `reason`: what could not be read; absent when the gateway is away. */
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
					// Still away: the next attempt is scheduled.
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

/** The state after a message, or why the message is invalid: the gateway may run another version. */
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
		// Falls through to the message below.
	}

	return `it is not what ${name === 'state' ? 'a state is' : 'events are'} to this version${versionsOf(value, state)}`;
}

/** Both versions, if the gateway's is known and differs. */
function versionsOf(value: unknown, {gateway}: GatewayState): string {
	const said =
		isJsonObject(value) && isJsonObject(value['gateway']) ? value['gateway']['version'] : undefined;
	const other = typeof said === 'string' ? said : gateway.version;
	return other === '' || other === version ? '' : `, svc ${version}; the gateway is svc ${other}`;
}

/** Whether the value has every member of this version's state, of the right kind. Entries of the lists are not checked: that would take too long. */
const isState = (value: unknown): value is GatewayState =>
	isJsonObject(value) &&
	Object.entries(initialState).every(([key, known]) =>
		Array.isArray(known) ? Array.isArray(value[key]) : isJsonObject(value[key]),
	);
