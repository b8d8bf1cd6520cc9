import {type Clock, createTimer} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {hasEnded} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {createStore, type ValueStore} from './store.ts';
import {createThrottle} from './throttle.ts';

export type Snapshot = {
	readonly state: GatewayState;
	/** Milliseconds since 1970 when the snapshot was taken. */
	readonly now: number;
	/** When the gateway last sent anything, in milliseconds since 1970. */
	readonly heardAt: number;
	/** Nothing has happened for a while, and nothing shown counts seconds: one frame a minute is enough. */
	readonly isIdle: boolean;
};

export type Feed = Pick<ValueStore<Snapshot>, 'get' | 'subscribe'> &
	Disposable & {
		/** Recomputes the pace, because something with a faster count is shown. */
		repace(): void;
	};

/** How often the screen is updated by events, and by the passing of time. Milliseconds. */
type FeedPace = {
	readonly intervalMs: number;
	readonly tickMs: number;
	/** Something shown counts seconds. */
	readonly countsSeconds?: boolean;
	/** A model's words are shown as they stream in. */
	readonly showsWords?: boolean;
	/** Paused; checked again at the next tick. */
	readonly isHeld?: boolean;
};

/** How long changes are gathered before the screen is updated: longer over SSH, where frames cost bandwidth, and while the list is paused, when only numbers change. */
export const feedIntervals = {
	localMs: 100,
	sshMs: 200,
	/** The intervals at high event rates, from the given rate on. Ten lists a second cannot be read, nor five of a flood, since each shows other rows. */
	busy: [
		{perSecond: 100, ms: 400},
		{perSecond: 20, ms: 200},
	],
	pausedMs: 500,
	/** How often to check a terminal that does not read. */
	stalledMs: 5000,
	tickMs: 1000,
	/** While moving bars are shown. */
	barMs: 250,
} as const;

/** Longer than the pause between a gateway's health reports, one a second: those then serve as ticks, so that there is one frame a second. */
const silenceMs = 1200;

/** Whether a frame for `next` would look like `last`, except for a second or a megabyte. */
const isSameToTheEye = (last: Snapshot, next: Snapshot): boolean =>
	last.isIdle &&
	next.isIdle &&
	looksAlike(last.state.health, next.state.health) &&
	Math.floor(last.now / minuteMs) === Math.floor(next.now / minuteMs) &&
	staleFor(last) === undefined &&
	staleFor(next) === undefined &&
	differInHealthAlone(last.state, next.state);

const minuteMs = 60_000;

/** Requests for a person must be shown at once, however slow the pace. */
const isForAPerson = ({type}: GatewayEvent): boolean =>
	type === 'approval-requested' || type === 'approval-settled';

/**
 * Stores snapshots of the gateway's state, at most one per `intervalMs`, the first at once. Also ticks while the gateway is silent, for what shows time. Keys do
 * not wait for it. `paceOf` gets the state that was shown last: computing the current one that often would be too costly.
 */
export function createFeed(
	{port, clock}: {readonly port: GatewayPort; readonly clock: Clock},
	paceOf: (shown: GatewayState) => FeedPace,
): Feed {
	let heardAt = clock.now();
	let changedAt = heardAt;
	const store = createStore<Snapshot>({
		state: port.getState(),
		now: heardAt,
		heardAt,
		isIdle: false,
	});
	const pace = () => paceOf(store.get().state);
	let known: {readonly pace: FeedPace; readonly at: number} | undefined;
	/** The pace, cached for a tenth of a second: a flood would ask for it hundreds of times a second. */
	const recentPace = () => {
		const at = clock.monotonic();
		if (!known || at - known.at >= feedIntervals.localMs) {
			known = {pace: pace(), at};
		}

		return known.pace;
	};
	const isStill = (state: GatewayState, now: number): boolean =>
		paceOf(state).countsSeconds !== true && isIdle(state, {now, changedAt});
	const throttle = createThrottle(
		clock,
		() => pace().intervalMs,
		() => {
			if (pace().isHeld === true) {
				return;
			}

			const last = store.get();
			const [state, now] = [port.getState(), clock.now()];
			if (!differInHealthAlone(last.state, state)) {
				changedAt = now;
			}

			const snapshot = {state, now, heardAt, isIdle: isStill(state, now)};
			if (!isSameToTheEye(last, snapshot)) {
				store.set(() => snapshot);
				const {tickMs} = pace();
				if (tickMs < feedIntervals.tickMs) {
					tickAfter(tickMs);
				}
			}
		},
	);
	const tick = createTimer(clock);
	const tickAfter = (delayMs: number) =>
		tick.set(delayMs, () => {
			tickAfter(pace().tickMs);
			throttle.ask();
		});

	const unsubscribe = port.subscribe(events => {
		heardAt = clock.now();
		const {tickMs, showsWords = false} = recentPace();
		// Without a view of a model's words, these events change nothing on the screen.
		if (!showsWords && events.length > 0 && events.every(({type}) => type === 'run-said')) {
			return;
		}

		tickAfter(tickMs < feedIntervals.tickMs ? tickMs : silenceMs);
		if (events.some(isForAPerson)) {
			throttle.now();
		} else {
			throttle.ask();
		}
	});
	tickAfter(feedIntervals.tickMs);

	return {
		repace() {
			known = undefined;
			const {tickMs, countsSeconds} = pace();
			tickAfter(tickMs);
			if (countsSeconds && store.get().isIdle) {
				throttle.ask();
			}
		},
		get: store.get,
		subscribe: store.subscribe,
		[Symbol.dispose]() {
			unsubscribe();
			tick[Symbol.dispose]();
			throttle[Symbol.dispose]();
		},
	};
}

/** After this many milliseconds with nothing but health samples, the screen is updated once a minute: by then nothing it shows counts seconds, except the clock. */
const idleAfterMs = 15_000;

/** Smaller changes in memory cause no frame while nothing else happens. */
const noticedRssBytes = 10e6;
const noticedDelayMs = 10;

/** Whether something shown counts seconds: down to a deadline, or up from a start. */
const countsSeconds = ({
	approvals,
	groups,
	runs,
	servers,
	webhook,
	gateway,
}: GatewayState): boolean =>
	approvals.length > 0 ||
	webhook.state === 'starting' ||
	gateway.stopping ||
	!gateway.reachable ||
	groups.some(({state}) => state === 'pending') ||
	runs.some(({state}) => !hasEnded(state)) ||
	servers.some(({nextAttemptAt}) => nextAttemptAt !== undefined);

/** Whether nothing in `state` counts seconds, and nothing has changed since `changedAt` (milliseconds since 1970). */
const isIdle = (
	state: GatewayState,
	{now, changedAt}: {readonly now: number; readonly changedAt: number},
): boolean => now - changedAt >= idleAfterMs && !countsSeconds(state);

/** Whether two states differ at most in the process's health samples. */
const differInHealthAlone = (before: GatewayState, after: GatewayState): boolean =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a state has no other keys
	(Object.keys(after) as Array<keyof GatewayState>).every(
		key => key === 'health' || before[key] === after[key],
	);

/** Whether two health samples are so similar that a frame for the later one is not worth its bytes. */
function looksAlike(before: GatewayState['health'], after: GatewayState['health']): boolean {
	if (!before || !after) {
		return before === after;
	}

	return (
		before.requestsPerSecond === after.requestsPerSecond &&
		before.requestP95Ms === after.requestP95Ms &&
		Math.abs(before.rssBytes - after.rssBytes) < noticedRssBytes &&
		Math.abs(before.loopDelayP99Ms - after.loopDelayP99Ms) < noticedDelayMs
	);
}

/** After this many milliseconds of silence the display is marked stale: the gateway sends a sample every second. */
const staleAfterMs = 5000;

/** For how many milliseconds nothing was heard from a gateway that is lost, or that should report each second; `undefined` while it is fresh. */
export function staleFor({state, now, heardAt}: Snapshot): number | undefined {
	const silentMs = now - heardAt;
	return !state.gateway.reachable || (state.health && silentMs > staleAfterMs)
		? silentMs
		: undefined;
}
