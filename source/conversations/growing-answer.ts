import {type Clock, createTimer} from '../core/clock.ts';
import type {ChatPlace, Say} from './say.ts';

/** Maximum number of edits before the answer is complete. */
const mostShown = 18;

/** A growing answer uses at most a third of the messages per minute that a platform accepts. */
const share = 3;
const shortestPauseMs = 1000;

/** Maximum length shown, characters: only the end of a longer answer. */
const maxShown = 1500;

/** The answer of an agent that does not want to say anything. */
const silence = '[SILENT]';

/** An answer that is shown while the model writes it. */
export type GrowingAnswer = ReturnType<typeof createGrowingAnswer>;

/** The key by which later texts replace the message of a turn. */
export const turnKey = (messageId: string): string => `turn ${messageId}`;

/** Pause between two edits of a message, in a chat that accepts `perMinute` messages a minute; 0 for no limit. */
export const pauseBetweenEdits = (perMinute: number): number =>
	Math.max(shortestPauseMs, perMinute === 0 ? 0 : (share * 60_000) / perMinute);

/**
 * Shows an answer in its chat while it grows, by editing one message. Stops at the first edit that fails: the complete answer is delivered in any case.
 *
 * @see manual/conversations.md
 */
export function createGrowingAnswer(
	{clock, say}: {readonly clock: Clock; readonly say: Say},
	{
		place,
		key,
		pauseMs,
	}: {readonly place: ChatPlace; readonly key: string; readonly pauseMs: number},
) {
	/** Disposed of when nothing more is shown. */
	const timer = createTimer(clock);
	const stop = timer[Symbol.dispose];
	let text = '';
	let shown = '';
	let times = 0;
	let isUnderWay = false;

	const plan = () => {
		if (timer.isFree() && !isUnderWay && times < mostShown && text !== shown) {
			timer.set(pauseMs, () => {
				isUnderWay = true;
				void show().finally(() => {
					isUnderWay = false;
					plan();
				});
			});
		}
	};

	const show = async () => {
		const now = text;
		// It may still become exactly the silent answer.
		if (silence.startsWith(now.trim())) {
			return;
		}

		const failure = await say(place, {text: `${shownText(now)} …`, keeps: key});
		shown = now;
		times += 1;
		if (failure !== undefined) {
			stop();
		}
	};

	return {
		/** Adds to the answer; `begins`: starts another answer, which replaces it. */
		say(more: string, begins: boolean) {
			text = begins ? more : text + more;
			plan();
		},
		/** Shows nothing more. An edit in progress comes before the complete answer: messages to one chat are sequential. */
		stop,
		/** Stops, and appends to the shown text that the answer was broken off. */
		breakOff() {
			stop();
			if (times > 0) {
				void say(place, {text: `${shownText(text)}\n\n(broken off)`, keeps: key});
			}
		},
	};
}

const shownText = (text: string): string =>
	`${text.length > maxShown ? '… ' : ''}${text.slice(-maxShown).toWellFormed().trim()}`;
