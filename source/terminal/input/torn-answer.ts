/* oxlint-disable no-control-regex -- answers of a terminal are made of control characters */
import type {Clock} from '../../core/clock.ts';

/** The part of a text that continues a torn answer. */
type Continuation =
	/** The first `length` UTF-16 units belong to the answer; `answer` is set once it is complete. */
	| {readonly length: number; readonly answer?: string}
	/** Only further input can decide. */
	| 'undecided';

/** Input after this time does not continue the answer. */
const restMs = 1000;
const maxAnswerLength = 64;

const none: Continuation = {length: 0};

const colorBegun =
	/^\u001B\]11;rgba?:(?:[\da-f]{1,4}\/){0,3}[\da-f]{0,4}(?:\u0007|\u009C|\u001B\\?)?$/i;
const attributesBegun = /^\u001B\[\?[\d;]*[cu]?$/;
const whole = /^\u001B(?:\]11;.*(?:\u0007|\u009C|\u001B\\)|\[\?.*[cu])$/;

/** Whether `text`, a part of an answer, is a complete one. */
export const isWholeAnswer = (text: string): boolean => whole.test(text);

/** Longer than a person would type after Escape or Alt-]. */
const sure = /^\u001B(?:\]11;rgba?:[\da-f]|\[\?\d+[;cu])/i;

/** Whether `text` is, or begins, a background colour (OSC 11), device attributes (DA1), or an answer about the kitty keyboard. */
export const isAnswerBegun = (text: string): boolean =>
	text.length <= maxAnswerLength &&
	('\u001B]11;rgba:'.startsWith(text) ||
		'\u001B[?'.startsWith(text) ||
		colorBegun.test(text) ||
		attributesBegun.test(text));

/** How many UTF-16 units of `text` can belong to one answer. */
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
 * Recognises answers that arrive late and in pieces, over a slow line byte by byte. If the beginning was given up (or taken for Escape, Alt-[ or Alt-]), the rest
 * is recognised by its grammar. A person's keys do not continue like an answer; ambiguous input is held, and typed later if it was none.
 */
export function createTornAnswers(clock: Clock) {
	let torn: {readonly raw: string; readonly isSure: boolean; readonly t: number} | undefined;

	const take = (): typeof torn => {
		const taken = torn;
		torn = undefined;
		return taken && clock.monotonic() - taken.t <= restMs ? taken : undefined;
	};

	return {
		/** Remembers given-up input if it can begin an answer. `isExpected`: even a lone Escape, which was delivered as a key. */
		giveUp(raw: string, isExpected: boolean) {
			const isKey = raw.length <= 2;
			if (isAnswerBegun(raw) && (!isKey || isExpected)) {
				torn = {raw, isSure: !isKey, t: clock.monotonic()};
			}
		},
		/** The part of `text` (not empty) that continues the answer. `final`: no more input for now. */
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

			// The Escape may be half of an end mark, or a key.
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
		/** Forgets the answer. */
		clear() {
			torn = undefined;
		},
	};
}
