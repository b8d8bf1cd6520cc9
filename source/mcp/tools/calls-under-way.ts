import type {Clock} from '../../core/clock.ts';

/** The calls of one connection that have no answer yet. */
export type CallsUnderWay = {
	/** How many. */
	readonly count: number;
	/** Begins a call: `onTimeout` is called once when `timeoutMs` have passed that were not paused. Disposal ends it. */
	begin(call: {
		readonly runId?: number | undefined;
		readonly timeoutMs: number;
		readonly onTimeout: () => void;
	}): Disposable;
	/** Stops the time of every call until it is disposed of: the server waits for a person, or for our model. */
	pause(): Disposable;
	/** The run that all calls under way belong to; `undefined` when there is none, or more than one. */
	runId(): number | undefined;
};

export function createCallsUnderWay(_clock: Clock): CallsUnderWay {
	throw new Error('not written yet');
}
