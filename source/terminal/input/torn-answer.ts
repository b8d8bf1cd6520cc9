/* oxlint-disable no-control-regex -- answers of a terminal are made of control characters */
import type {Clock} from '../../core/clock.ts';

/** The part of a text that continues an answer which came in pieces. */
type Continuation =
	/** Its first `length` UTF-16 units belong to it; with `answer` it is whole now. */
	| {readonly length: number; readonly answer?: string}
	/** The next input decides. */
	| 'undecided';

/** Later input does not continue the answer. */
const restMs = 1000;
const maxAnswerLength = 64;

const none: Continuation = {length: 0};

const colorBegun =
	/^\u001B\]11;rgba?:(?:[\da-f]{1,4}\/){0,3}[\da-f]{0,4}(?:\u0007|\u009C|\u001B\\?)?$/i;
const attributesBegun = /^\u001B\[\?[\d;]*[cu]?$/;
const whole = /^\u001B(?:\]11;.*(?:\u0007|\u009C|\u001B\\)|\[\?.*[cu])$/;

/** Whether `text`, which can be of an answer, is all of it. */
export const isWholeAnswer = (text: string): boolean => whole.test(text);

/** Longer than a person would type after an Escape or an Alt-]. */
const sure = /^\u001B(?:\]11;rgba?:[\da-f]|\[\?\d+[;cu])/i;

/** Whether `text` is a background colour (OSC 11), device attributes (DA1), an answer about the kitty keyboard, or the beginning of one. */
export const isAnswerBegun = (text: string): boolean =>
	text.length <= maxAnswerLength &&
	('\u001B]11;rgba:'.startsWith(text) ||
		'\u001B[?'.startsWith(text) ||
		colorBegun.test(text) ||
		attributesBegun.test(text));

/** How many UTF-16 units of `text` can be of one answer. */
export function answerLength(text: string): number {
	let length = 0;
	while (length < text.length && isAnswerBegun(text.slice(0, length + 1))) {
		length++;
		if (isWholeAnswer(text.slice(0, length))) {
			break;
		}
	}

	return length;
}

/**
 * A terminal may answer late and in pieces, over a slow line byte by byte. The rest of an answer whose beginning was given up (or was taken for the key Escape, Alt-[
 * or Alt-]) is found by its grammar. A person's keys do not continue like one; input that could be either waits, and is typed after all.
 */
export function createTornAnswers(clock: Clock) {
	let torn: {readonly raw: string; readonly isSure: boolean; readonly t: number} | undefined;

	const take = (): typeof torn => {
		const taken = torn;
		torn = undefined;
		return taken && clock.monotonic() - taken.t <= restMs ? taken : undefined;
	};

	return {
		/** Remembers input that is given up, if an answer can begin so. `isExpected`: even a lone Escape, which was handed out as a key. */
		giveUp(raw: string, isExpected: boolean) {
			const isKey = raw.length <= 2;
			if (isAnswerBegun(raw) && (!isKey || isExpected)) {
				torn = {raw, isSure: !isKey, t: clock.monotonic()};
			}
		},
		/** The part of `text` (not empty) that continues it. `final`: nothing more comes for now. */
		continuation(text: string, final: boolean): Continuation {
			const taken = take();
			if (!taken) {
				return none;
			}

			const {raw} = taken;
			const length = Math.max(0, answerLength(raw + text) - raw.length);
			const begun = raw + text.slice(0, length);
			const isSure = taken.isSure || sure.test(begun);
			if (isSure && isWholeAnswer(begun)) {
				return {length, answer: begun};
			}

			// The Escape may be half of an end, or a key.
			const endsInEscape = length > 0 && begun.endsWith('\u001B');
			const goesOn = length === text.length;
			if (goesOn && !final && (!isSure || text === '\u001B')) {
				torn = taken;
				return 'undecided';
			}

			if (!isSure) {
				return none;
			}

			const own = endsInEscape ? length - 1 : length;
			if (goesOn && own > 0) {
				torn = {raw: raw + text.slice(0, own), isSure, t: clock.monotonic()};
			}

			return {length: own};
		},
		/** Forgets it. */
		clear() {
			torn = undefined;
		},
	};
}
