import {type Clock, createTimer} from '../core/clock.ts';
import type {ChatPlace, Say} from './say.ts';

/** So often an answer is shown before it is whole: the last edit of a message puts its end there. */
const mostShown = 18;

/** Of what a platform takes in a minute, the answer that grows uses a third at most. */
const share = 3;
const shortestPauseMs = 1000;

/** What is shown of a longer one is its end alone. */
const maxShown = 1500;

/** What an agent answers that wants nothing said. */
const silence = '[SILENT]';

/** An answer that is shown while the model writes it. */
export type GrowingAnswer = {
	/** More of it; `begins`: of another answer, which takes its place. */
	say(text: string, begins: boolean): void;
	/** Shows nothing more. What is under way comes before the whole answer: texts of one chat follow each other. */
	stop(): void;
	/** The same, and says below what was shown that no more of it comes. */
	breakOff(): void;
};

/** How a turn is named that a message is kept up to date by. */
export const turnKey = (messageId: string): string => `turn ${messageId}`;

/** Pause between two edits of one message of a chat that takes so many messages a minute; 0: any number. */
export const pauseBetweenEdits = (perMinute: number): number =>
	Math.max(shortestPauseMs, perMinute === 0 ? 0 : (share * 60_000) / perMinute);

/**
 * Shows an answer in its chat as it grows, by edits of one message. One that could not be sent ends that: the whole answer is delivered in any case.
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
): GrowingAnswer {
	const timer = createTimer(clock);
	let text = '';
	let shown = '';
	let times = 0;
	let isOver = false;
	let isUnderWay = false;

	const plan = () => {
		if (timer.isFree() && !isOver && !isUnderWay && times < mostShown && text !== shown) {
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
		// That may become the word for nothing.
		if (isOver || silence.startsWith(now.trim())) {
			return;
		}

		const failure = await say(place, {text: `${shownText(now)} …`, keeps: key});
		shown = now;
		times += 1;
		isOver ||= failure !== undefined;
	};

	return {
		say(more, begins) {
			text = begins ? more : text + more;
			plan();
		},
		stop() {
			isOver = true;
			timer.cancel();
		},
		breakOff() {
			isOver = true;
			timer.cancel();
			if (times > 0) {
				void say(place, {text: `${shownText(text)}\n\n(broken off)`, keeps: key});
			}
		},
	};
}

const shownText = (text: string): string =>
	`${text.length > maxShown ? '… ' : ''}${text.slice(-maxShown).toWellFormed().trim()}`;
