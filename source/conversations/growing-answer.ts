import {type Clock, createTimer} from '../core/clock.ts';
import type {ChatPlace, Say} from './say.ts';

/** Limit of edits before the answer is whole. */
const mostShown = 18;

/** A growing answer takes a third of the messages that a platform takes in a minute. */
const share = 3;
const shortestPauseMs = 1000;

/** Of a longer answer only the end is shown. */
const maxShown = 1500;

/** The answer of an agent that wants nothing said. */
const silence = '[SILENT]';

/** An answer that is shown while the model writes it. */
export type GrowingAnswer = ReturnType<typeof createGrowingAnswer>;

/** The key by which later texts replace the message of a turn. */
export const turnKey = (messageId: string): string => `turn ${messageId}`;

/** Pause between two edits of a message, in a chat that takes so many messages a minute; 0: any number. */
export const pauseBetweenEdits = (perMinute: number): number =>
	Math.max(shortestPauseMs, perMinute === 0 ? 0 : (share * 60_000) / perMinute);

/**
 * Shows an answer in its chat as it grows, by edits of one message. The first edit that fails is the last: the whole answer is delivered in any case.
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
		// It may still become the whole word.
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
		/** More of the answer; `begins`: of another answer, which replaces it. */
		say(more: string, begins: boolean) {
			text = begins ? more : text + more;
			plan();
		},
		/** Shows nothing more. An edit that is under way comes before the whole answer: texts of one chat follow each other. */
		stop,
		/** The same, and says below the shown text that no more of it comes. */
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
