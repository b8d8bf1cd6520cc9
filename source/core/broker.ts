import type {Emit, GatewayEvent} from './events.ts';
import {reduce} from './reduce.ts';
import {type GatewayState, initialState} from './state.ts';

export type Broker = {
	/** Reports an event. Cheap: the state is computed when somebody looks, listeners hear once a turn of the event loop. */
	readonly emit: Emit;
	getState(): GatewayState;
	/** Calls `listener` with each turn's events that are not in the state yet, in order, every event exactly once. A listener that throws is dropped. */
	subscribe(listener: (events: readonly GatewayEvent[]) => void): () => void;
};

/** Unread events are folded into the state at this many, so that an unobserved gateway holds no more. */
const maxBacklog = 2048;

/** Joins those who report with those who watch: events in, state and batches of events out. */
export function createBroker(onListenerError: (error: unknown) => void = () => {}): Broker {
	let state = initialState;
	let unread: GatewayEvent[] = [];
	let untold: GatewayEvent[] = [];
	let telling = false;
	/** With how many of the events that are not told yet each knows from the state already. */
	const listeners = new Map<(events: readonly GatewayEvent[]) => void, number>();

	const getState = () => {
		if (unread.length > 0) {
			const events = unread;
			unread = [];
			state = reduce(state, events);
		}

		return state;
	};

	const tell = () => {
		telling = false;
		const events = untold;
		untold = [];
		for (const [listener, known] of listeners) {
			listeners.set(listener, 0);
			try {
				listener(known === 0 ? events : events.slice(known));
			} catch (error) {
				listeners.delete(listener);
				onListenerError(error);
			}
		}
	};

	return {
		emit(event) {
			unread.push(event);
			if (unread.length >= maxBacklog) {
				getState();
			}

			if (listeners.size === 0) {
				return;
			}

			untold.push(event);
			if (!telling) {
				telling = true;
				setImmediate(tell);
			}
		},
		getState,
		subscribe(listener) {
			listeners.set(listener, untold.length);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}
