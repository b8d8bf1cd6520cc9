import type {Emit, GatewayEvent} from './events.ts';
import {reduce} from './reduce.ts';
import {type GatewayState, initialState} from './state.ts';

export type Broker = {
	/** Reports an event. Cheap: the state is computed on demand, and listeners are called once per turn of the event loop. */
	readonly emit: Emit;
	getState(): GatewayState;
	/** Calls `listener` once per turn with the events since the last call, or since the state at subscription; in order, each exactly once. A listener that throws is dropped. */
	subscribe(listener: (events: readonly GatewayEvent[]) => void): () => void;
};

/** At this many unread events the state is computed, which bounds the memory of an unobserved gateway. */
const maxBacklog = 2048;

/** Connects the rooms that report events with the faces that show them: events in, state and batches of events out. */
export function createBroker(onListenerError: (error: unknown) => void = () => {}): Broker {
	let state = initialState;
	let unread: GatewayEvent[] = [];
	let untold: GatewayEvent[] = [];
	let telling = false;
	/** Listeners, with the number of pending events that their initial state already includes. */
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
