import type {IncomingMessage} from 'node:http';
import {createInterface} from 'node:readline';
import type {Clock} from '../core/clock.ts';
import type {Delivery} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import type {GatewayEvent} from '../core/events.ts';
import type {JsonValue} from '../core/json.ts';
import {reduce} from '../core/reduce.ts';
import type {Run, StoredRun} from '../core/run.ts';
import {type GatewayState, initialState} from '../core/state.ts';
import {callControl, open} from './control-client.ts';
import {fromWire, type WireDelivery} from './control-endpoints.ts';
import type {
	GatewayPort,
	GatewayStatus,
	ReceiverAnswer,
	ReplayPlan,
	StopConsequences,
} from './port.ts';

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
					await follow(await open(socket, '/v1/events'));
				} catch {
					// Still away: the next try follows.
				}

				reconnectLater();
			})();
		});
	};

	const first = Promise.withResolvers<void>();
	const opened = await open(socket, '/v1/events');
	void follow(opened, first.resolve).finally(() => {
		first.reject(
			new SvcError('gateway_silent', 'Cannot follow the gateway: its event stream ended'),
		);
		reconnectLater();
	});
	await first.promise;

	const get = async <T>(path: string) => callControl<T>(socket, path);
	const post = async <T>(path: string, body?: JsonValue) =>
		callControl<T>(socket, path, {method: 'POST', ...(body !== undefined && {body})});

	return {
		embedded: false,
		getState: () => state,
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		async getDelivery(id) {
			const wire = await get<WireDelivery | undefined>(`/v1/deliveries/${encodeURIComponent(id)}`);
			return wire && fromWire(wire);
		},
		listDeliveries: filter =>
			get<readonly Delivery[]>(`/v1/deliveries?${queryOf(filter).toString()}`),
		getRun: id => get<StoredRun | undefined>(`/v1/runs/${id}`),
		listRuns({states, ...filter}) {
			const query = queryOf(filter);
			for (const name of states ?? []) {
				query.append('state', name);
			}

			return get<readonly Run[]>(`/v1/runs?${query.toString()}`);
		},
		planReplay: id => get<ReplayPlan>(`/v1/deliveries/${encodeURIComponent(id)}/replay-plan`),
		replay: (id, options = {}) =>
			post<ReceiverAnswer>(`/v1/deliveries/${encodeURIComponent(id)}/replay`, {...options}),
		sendTestEvent: (route, options = {}) =>
			post<ReceiverAnswer>(`/v1/routes/${encodeURIComponent(route)}/test`, {...options}),
		curlLine: route => get<string>(`/v1/routes/${encodeURIComponent(route)}/curl`),
		cancelRun: id => post<boolean>(`/v1/runs/${id}/cancel`),
		retryRun: id => post<boolean>(`/v1/runs/${id}/retry`),
		async useModel(provider) {
			await post(`/v1/model/${encodeURIComponent(provider)}`);
		},
		async reload() {
			await post('/v1/reload');
		},
		async restartReceiver() {
			await post('/v1/receiver/restart');
		},
		status: () => get<GatewayStatus>('/v1/status'),
		stopConsequences: () => get<StopConsequences>('/v1/stop-consequences'),
		async stop() {
			await post('/v1/stop');
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

function queryOf(filter: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(filter)) {
		if (value !== undefined) {
			query.set(key, String(value));
		}
	}

	return query;
}
