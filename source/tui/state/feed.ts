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
	/** When the gateway last said anything, milliseconds since 1970. */
	readonly heardAt: number;
	/** Nothing has happened for a while, and nothing counts seconds: frames come by the minute. */
	readonly isIdle: boolean;
};

export type Feed = Pick<ValueStore<Snapshot>, 'get' | 'subscribe'> &
	Disposable & {
		/** Looks at the pace anew: something is shown now that counts faster. */
		repace(): void;
	};

/** How fast the screen is told of what comes, and of time that passes while nothing does. Milliseconds. */
type FeedPace = {
	readonly intervalMs: number;
	readonly tickMs: number;
	/** Something is shown that counts seconds by itself. */
	readonly countsSeconds?: boolean;
	/** What models say is shown as it comes. */
	readonly showsWords?: boolean;
	/** Paused; checked again at the next tick. */
	readonly isHeld?: boolean;
};

/**
 * How long data is gathered before the screen is told; longer over SSH, where each frame is bytes on the line, and while the list is
 * paused, when nothing but numbers change.
 */
export const feedIntervals = {
	localMs: 100,
	sshMs: 200,
	/** While so many events come in a second, from the most on: ten lists a second cannot be read, and of a flood not even five, since each shows other rows. */
	busy: [
		{perSecond: 100, ms: 400},
		{perSecond: 20, ms: 200},
	],
	pausedMs: 500,
	/** How often a terminal that does not read is looked at again. */
	stalledMs: 5000,
	tickMs: 1000,
	/** Where bars run. */
	barMs: 250,
} as const;

/** Longer than a gateway that reports each second is silent: its report is the tick then, and a second has one frame. */
const silenceMs = 1200;

/** Whether a frame for `next` would show what `last` does, but for a second or a megabyte. */
const isSameToTheEye = (last: Snapshot, next: Snapshot): boolean =>
	last.isIdle &&
	next.isIdle &&
	looksAlike(last.state.health, next.state.health) &&
	Math.floor(last.now / minuteMs) === Math.floor(next.now / minuteMs) &&
	staleFor(last) === undefined &&
	staleFor(next) === undefined &&
	differInHealthAlone(last.state, next.state);

const minuteMs = 60_000;

/** What a person is asked must be on the screen at once, however slow its pace is. */
const isForAPerson = ({type}: GatewayEvent): boolean =>
	type === 'approval-requested' || type === 'approval-settled';

/**
 * The data lane: what the gateway says, at most once per `intervalMs`, the first at once. Ticks while it says nothing, for
 * what counts time. Keys do not wait for it. `paceOf` gets the state that was shown last: asking the gateway
 * itself would have it sum up its state that often.
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
	/** The pace, at most a tenth of a second old: a flood would ask for it hundreds of times a second. */
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
		// They change nothing that is on the screen.
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

/** After so long without anything but health samples the screen counts minutes, milliseconds: nothing that it shows by then counts seconds but its clock. */
const idleAfterMs = 15_000;

/** Changes of a health sample that are worth no frame while nothing else happens. */
const noticedRssBytes = 10e6;
const noticedDelayMs = 10;

/** Whether something is shown that counts seconds: down to a deadline, or since it began. */
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

/** Whether nothing of `state` counts seconds, and nothing in it has changed since `changedAt`, milliseconds since 1970. */
const isIdle = (
	state: GatewayState,
	{now, changedAt}: {readonly now: number; readonly changedAt: number},
): boolean => now - changedAt >= idleAfterMs && !countsSeconds(state);

/** Whether two states differ in the samples of the process's health at most. */
const differInHealthAlone = (before: GatewayState, after: GatewayState): boolean =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a state has no other keys
	(Object.keys(after) as Array<keyof GatewayState>).every(
		key => key === 'health' || before[key] === after[key],
	);

/** Whether two health samples look so much alike that a frame for the later one is not worth its bytes. */
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

/** Milliseconds of silence after which what is shown is called stale: the gateway samples itself each second. */
const staleAfterMs = 5000;

/** How long nothing was heard from a gateway that reports each second, or is lost, milliseconds; `undefined` while it is fresh. */
export function staleFor({state, now, heardAt}: Snapshot): number | undefined {
	const silentMs = now - heardAt;
	return !state.gateway.reachable || (state.health && silentMs > staleAfterMs)
		? silentMs
		: undefined;
}
