/* oxlint-disable no-control-regex -- answers of a terminal are made of control characters */
import type {Clock} from '../core/clock.ts';

/** The background of a terminal. */
type Background = 'dark' | 'light';

/** Asks for the background colour, then a question that every terminal answers, whose answer marks the end. */
export const backgroundQuestion = '\u001B]11;?\u0007\u001B[c';

const colorAnswer =
	/^\u001B\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?(?:\u0007|\u001B\\|\u009C)$/i;
const attributesAnswer = /^\u001B\[\?[\d;]*c$/;

/** The luminance from which black contrasts more than white: where `(L + 0.05) / 0.05` equals `1.05 / (L + 0.05)`. */
const lightFrom = 0.179;

/** Whether a terminal's answer means dark or light; `undefined` for another answer. */
export function backgroundOf(answer: string): Background | undefined {
	const [, ...parts] = colorAnswer.exec(answer) ?? [];
	const [red, green, blue] = parts.map(part =>
		linear(Number.parseInt(part, 16) / (16 ** part.length - 1)),
	);
	if (red === undefined || green === undefined || blue === undefined) {
		return undefined;
	}

	return 0.2126 * red + 0.7152 * green + 0.0722 * blue < lightFrom ? 'dark' : 'light';
}

/** @see WCAG 2.2, relative luminance */
const linear = (value: number): number =>
	value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;

/** Whether a terminal with this environment may be asked. The Linux console and GNU screen print the question or ignore it; tmux, whose TERM may be `screen`, answers. */
export const answersQuestions = ({
	TERM: term = '',
	TMUX: tmux = '',
	STY: screen = '',
}: Readonly<Record<string, string | undefined>>): boolean =>
	tmux === '' ? screen === '' && !/^(?:$|dumb|linux|cons25|vt\d|screen)/.test(term) : true;

type Hearing = {
	/** Passes the terminal's answers to `handler` until the returned function is called. */
	readonly expectAnswers: (handler: (raw: string) => void) => () => void;
	readonly clock: Clock;
	/** How long to accept an answer, in milliseconds. */
	readonly limitMs: number;
};

/** How long to discard the rest of a late answer. */
const lateMs = 2000;

/** Waits for the answer about the background; calls `onBackground` within the limit, or never. Returns a function that ends it. */
export function hearBackground(
	{expectAnswers, clock, limitMs}: Hearing,
	onBackground: (background: Background) => void,
): () => void {
	const start = clock.monotonic();
	const release = expectAnswers(raw => {
		const background = backgroundOf(raw);
		if (background && clock.monotonic() - start <= limitMs) {
			onBackground(background);
		} else if (attributesAnswer.test(raw)) {
			end();
		}
	});
	const cancel = clock.after(Math.max(lateMs, limitMs), release);
	const end = () => {
		cancel();
		release();
	};

	return end;
}
