import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';

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
	let cancelPause: (() => void) | undefined;

	const stop = () => {
		asking?.abort();
		asking = undefined;
		cancelPause?.();
		cancelPause = undefined;
	};

	return {
		isBusy: () => asking !== undefined || cancelPause !== undefined,
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
				cancelPause = clock.after(pauseMs, () => {
					cancelPause = undefined;
					again();
				});
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
