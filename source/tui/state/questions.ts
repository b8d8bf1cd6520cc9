import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createTimer} from '../../core/stops.ts';

/** Before a question that failed may be asked again, milliseconds: each pause is twice the last one, up to the longest. */
const pauses = {first: 1000, longest: 60_000} as const;

/** What became of a question. */
export type Told<Answer> = {readonly answer: Answer} | {readonly problem: string};

/** The questions that one list asks the journal, one at a time. */
export type Questions = {
	/** One is under way, or one failed and its pause is not over. */
	readonly isBusy: () => boolean;
	/** Asks in place of what was asked before, which is hung up on. `undefined`: something else came first. */
	ask<Answer>(send: (hungUp: AbortSignal) => Promise<Answer>): Promise<Told<Answer> | undefined>;
	/** Hangs up; what comes next need not wait. */
	readonly end: () => void;
};

/** `again` is called when the pause after a failure is over. */
export function createQuestions(clock: Pick<Clock, 'after'>, again: () => void): Questions {
	let asking: AbortController | undefined;
	let pauseMs: number = pauses.first;
	const pause = createTimer(clock);

	const stop = () => {
		asking?.abort();
		asking = undefined;
		pause.cancel();
	};

	return {
		isBusy: () => asking !== undefined || !pause.isFree(),
		async ask(send) {
			stop();
			const mine = new AbortController();
			asking = mine;
			try {
				const answer = await send(mine.signal);
				if (asking !== mine) {
					return undefined;
				}

				asking = undefined;
				pauseMs = pauses.first;
				return {answer};
			} catch (error) {
				if (asking !== mine) {
					return undefined;
				}

				asking = undefined;
				pause.set(pauseMs, again);
				pauseMs = Math.min(2 * pauseMs, pauses.longest);
				return {problem: messageOf(error)};
			}
		},
		end() {
			stop();
			pauseMs = pauses.first;
		},
	};
}
