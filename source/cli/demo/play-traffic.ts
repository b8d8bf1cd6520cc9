import {type Clock, sleep} from '../../core/clock.ts';
import {hasEnded} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {type Moment, recordedDay, type Scene, scenes, send, type DemoEvent} from './recording.ts';

const minuteMs = 60_000;

/** Longer than a call waits for an answer. */
const nobodyMs = 6 * minuteMs;

const byWhom = 'tui (mona)';

type DayOptions = {
	readonly clock: BehindClock;
	readonly url: string;
	readonly signal: AbortSignal;
	readonly moments?: readonly Moment[];
};

/**
 * Plays a day at once: the clock leaps from event to event, and everything an event starts is completed before the next, except calls left open. Returns when the
 * clock has caught up. If `signal` aborts, the day ends where it is.
 */
export async function playDay(
	gateway: Gateway,
	{clock, url, signal, moments = recordedDay}: DayOptions,
): Promise<void> {
	const {port} = gateway;
	const post = async (sending: DemoEvent) => send(sending, {clock, url, signal});

	const stateWhere = async (holds: (state: GatewayState) => boolean, until = signal) =>
		waitForState(port, {holds, until});

	/** Waits until nothing runs, or a call waits for a person; resolves to whether nothing runs. */
	const settled = async (): Promise<boolean> => {
		const decided = new AbortController();
		const asks = stateWhere(
			({approvals}) => approvals.length > 0,
			AbortSignal.any([signal, decided.signal]),
		);
		try {
			return await Promise.race([gateway.idle().then(() => true), asks.then(() => false)]);
		} finally {
			decided.abort();
		}
	};

	const answer = async (word: 'allow' | 'deny' | undefined) => {
		const [first] = port.getState().approvals;
		if (!first) {
			return;
		}

		if (word === undefined) {
			clock.leap(nobodyMs);
		} else {
			const typed = first.kind === 'tool' && first.mustTypeName && {typedName: first.tool.tool};
			await port.settleApproval(first.id, {
				answer:
					word === 'deny'
						? {choice: 'deny', reason: 'Not now'}
						: {choice: 'allow', scope: 'once', ...typed},
				by: byWhom,
			});
		}

		// Settling it may have let others begin.
		await stateWhere(({approvals}) => approvals.every(({id}) => id !== first.id));
	};

	// A leap would make connecting exceed its time limit.
	await stateWhere(
		({servers}) => servers.length > 0 && servers.every(({status}) => status !== 'connecting'),
	);
	for (const {ago, sends, answer: word} of moments) {
		if (signal.aborted) {
			return;
		}

		clock.leap(clock.behindMs() - ago * minuteMs);
		for (const sending of sends) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await post(sending);
		}

		// oxlint-disable-next-line no-await-in-loop -- one after the other
		while (!(await settled()) && !signal.aborted) {
			if (word === 'open') {
				break;
			}

			// oxlint-disable-next-line no-await-in-loop
			await answer(word);
		}
	}

	clock.leap(clock.behindMs());
}

/** Resolves once `holds` is true of the state, or `until` aborts. */
async function waitForState(
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	{holds, until}: {readonly holds: (state: GatewayState) => boolean; readonly until: AbortSignal},
): Promise<void> {
	const {promise, resolve} = Promise.withResolvers<void>();
	const look = () => {
		if (until.aborted || holds(port.getState())) {
			resolve();
		}
	};
	const unsubscribe = port.subscribe(look);
	until.addEventListener('abort', look, {once: true});
	look();
	try {
		await promise;
	} finally {
		until.removeEventListener('abort', look);
		unsubscribe();
	}
}

const firstMs = 2500;

/** Pauses between scenes, varied so that the rhythm is not mechanical. */
const pausesMs = [7000, 11_000, 9000, 14_000] as const;

const betweenMs = 350;

/** The most calls that wait for a person at a time. */
const maxWaiting = 3;

/** With more active or waiting runs, nothing new is started. */
const maxRuns = 6;

/** The route whose runs wait for a login, perhaps forever. */
const lockedRoute = 'leads';

/** Whether `scene` may begin now. */
export function mayPlay(
	{sends, asks = false}: Scene,
	port: Pick<GatewayPort, 'getState'>,
): boolean {
	const {runs, gateway} = port.getState();
	const open = runs.filter(({state}) => !hasEnded(state));
	const locked = open.filter(({route}) => route === lockedRoute).length;
	const atWork = open.length - locked;
	// Each active run may ask for one call at a time.
	const most = asks ? maxWaiting : maxRuns;
	return (
		!gateway.stopping &&
		atWork < most &&
		!(locked > 0 && sends.some(({route}) => route === lockedRoute))
	);
}

/** Sends traffic at a gentle pace until `signal` aborts; skips what would pile up. */
export async function playScenes(
	port: Pick<GatewayPort, 'getState'>,
	{clock, url, signal}: {readonly clock: Clock; readonly url: string; readonly signal: AbortSignal},
): Promise<void> {
	let count = 0;
	await sleep(clock, firstMs, signal);
	for (const scene of scenes()) {
		for (const sending of mayPlay(scene, port) ? scene.sends : []) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await send(sending, {clock, url, signal});
			// oxlint-disable-next-line no-await-in-loop
			await sleep(clock, betweenMs, signal);
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(clock, pausesMs[count++ % pausesMs.length] ?? firstMs, signal);
	}
}

type BehindClock = Clock & {
	/** How far the clock is behind, in milliseconds. */
	behindMs(): number;
	/** Advances the clock, at most to the present: timers due meanwhile fire now, once, as after sleep. */
	leap(byMs: number): void;
};

type Timer = {readonly due: number; readonly callback: () => void; cancel: () => void};

/** A clock that runs `startMs` behind `clock` until it leaps; once it has caught up, both are the same. */
export function createBehindClock(clock: Clock, startMs: number): BehindClock {
	const timers = new Set<Timer>();
	let behindMs = startMs;
	const monotonic = () => clock.monotonic() + startMs - behindMs;

	const arm = (timer: Timer) => {
		timer.cancel = clock.after(timer.due - monotonic(), () => {
			timers.delete(timer);
			timer.callback();
		});
	};

	return {
		now: () => clock.now() - behindMs,
		monotonic,
		after(delayMs, callback) {
			const timer: Timer = {due: monotonic() + delayMs, callback, cancel() {}};
			timers.add(timer);
			arm(timer);
			return () => {
				timers.delete(timer);
				timer.cancel();
			};
		},
		behindMs: () => behindMs,
		leap(byMs) {
			behindMs = Math.max(0, behindMs - Math.max(0, byMs));
			const time = monotonic();
			const waiting = [...timers].toSorted((one, other) => one.due - other.due);
			for (const timer of waiting) {
				timer.cancel();
				// An earlier callback may have cancelled it.
				if (timer.due > time && timers.has(timer)) {
					arm(timer);
				} else if (timers.delete(timer)) {
					timer.callback();
				}
			}
		},
	};
}
