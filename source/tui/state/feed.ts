import type {Clock} from '../../core/clock.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {createStore, type Store} from './store.ts';
import {createThrottle} from './throttle.ts';

export type Snapshot = {
	readonly state: GatewayState;
	/** Milliseconds since 1970 when the snapshot was taken. */
	readonly now: number;
	/** When the gateway last said anything, milliseconds since 1970. */
	readonly heardAt: number;
};

export type Feed = Pick<Store<Snapshot>, 'get' | 'subscribe'> & Disposable;

/**
 * How long data is gathered before the screen is told; longer over SSH, where each frame is bytes on the line, and while the list is
 * paused, when nothing but numbers change.
 */
export const feedIntervals = {localMs: 100, sshMs: 200, pausedMs: 250, tickMs: 1000} as const;

/** Longer than a gateway that reports each second is silent: its report is the tick then, and a second has one frame. */
const silenceMs = 1200;

/**
 * The data lane: what the gateway says, at most once per `intervalMs`, the first at once. Ticks each second while it says nothing, for
 * what counts time. Keys do not wait for it.
 */
export function createFeed(
	{port, clock}: {readonly port: GatewayPort; readonly clock: Clock},
	intervalMs: () => number,
): Feed {
	let heardAt = clock.now();
	const store = createStore<Snapshot>({state: port.getState(), now: heardAt, heardAt});
	const throttle = createThrottle(clock, intervalMs, () => {
		store.set(() => ({state: port.getState(), now: clock.now(), heardAt}));
	});
	let cancelTick: (() => void) | undefined;
	const tickAfter = (delayMs: number) => {
		cancelTick?.();
		cancelTick = clock.after(delayMs, () => {
			tickAfter(feedIntervals.tickMs);
			throttle.ask();
		});
	};

	const unsubscribe = port.subscribe(() => {
		heardAt = clock.now();
		tickAfter(silenceMs);
		throttle.ask();
	});
	tickAfter(feedIntervals.tickMs);

	return {
		get: store.get,
		subscribe: store.subscribe,
		[Symbol.dispose]() {
			unsubscribe();
			cancelTick?.();
			throttle[Symbol.dispose]();
		},
	};
}
