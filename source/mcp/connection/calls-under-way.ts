import type {Clock} from '../../core/clock.ts';

/** A connection's calls without an answer so far. */
export type CallsUnderWay = ReturnType<typeof createCallsUnderWay>;

type Call = {readonly runId: number | undefined; readonly time: PausableTimer};

/** @see manual/tool-servers.md#states: the tool's timeout pauses while an elicitation waits */
export function createCallsUnderWay(clock: Clock) {
	const calls = new Set<Call>();
	let pauses = 0;

	return {
		/** The number of calls. */
		get count(): number {
			return calls.size;
		},
		/** Begins a call: `onTimeout` is called once when `timeoutMs` have passed, not counting pauses. Disposing ends the call. */
		begin({
			runId,
			timeoutMs,
			onTimeout,
		}: {
			readonly runId?: number | undefined;
			readonly timeoutMs: number;
			readonly onTimeout: () => void;
		}): Disposable {
			const call = {runId, time: createPausableTimer(clock, timeoutMs, onTimeout)};
			calls.add(call);
			if (pauses === 0) {
				call.time.run();
			}

			return {
				[Symbol.dispose]() {
					calls.delete(call);
					call.time.stop();
				},
			};
		},
		/** Pauses the time-outs of all calls until disposed: the server waits for a person, or for our model. */
		pause(): Disposable {
			let isOver = false;
			pauses += 1;
			for (const {time} of calls) {
				time.stop();
			}

			return {
				[Symbol.dispose]() {
					if (isOver) {
						return;
					}

					isOver = true;
					pauses -= 1;
					for (const {time} of pauses === 0 ? calls : []) {
						time.run();
					}
				},
			};
		},
		/** The run that all current calls belong to; `undefined` if there is none, or more than one. */
		runId(): number | undefined {
			const [runId, ...others] = new Set([...calls].map(call => call.runId));
			return others.length > 0 ? undefined : runId;
		},
	};
}

type PausableTimer = ReturnType<typeof createPausableTimer>;

function createPausableTimer(clock: Clock, ms: number, onEnd: () => void) {
	let leftMs = ms;
	let running: {readonly since: number; readonly cancel: () => void} | undefined;
	return {
		/** Continues, unless running. */
		run(): void {
			running ??= {since: clock.monotonic(), cancel: clock.after(leftMs, onEnd)};
		},
		/** Stops, and keeps the remaining time. */
		stop(): void {
			if (running) {
				running.cancel();
				leftMs = Math.max(0, leftMs - (clock.monotonic() - running.since));
				running = undefined;
			}
		},
	};
}

/** The run that all current calls belong to, as an object to spread. */
export const runIdOf = (calls: Pick<CallsUnderWay, 'runId'>): {readonly runId?: number} => {
	const runId = calls.runId();
	return runId === undefined ? {} : {runId};
};
