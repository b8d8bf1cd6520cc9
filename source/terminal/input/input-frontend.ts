import {StringDecoder} from 'node:string_decoder';
import type {Clock} from '../../core/clock.ts';
import {
	createHandOut,
	type FocusedField,
	createHandlers,
	createKeystrokeQueue,
} from './hand-out.ts';
import {createInkStdin} from './ink-stdin.ts';
import {bytesOfKey, type KeyEvent} from './key-event.ts';
import {tornMouseEvent, type MouseEvent, createTornMouse} from './mouse-event.ts';
import {collectPaste, type Paste, type PasteCollector} from './paste-collector.ts';
import {splitInput} from './split-input.ts';
import {createTornAnswers, isAnswerBegun} from './torn-answer.ts';

export type InputFrontend = ReturnType<typeof createInputFrontend>;

type InputFrontendOptions = {
	readonly clock: Clock;
	/** How long to wait for the rest of a split sequence, in milliseconds: 60; 100 over SSH. */
	readonly escapeDelayMs?: number;
};

const nothing = () => {};

/** How long to wait for the rest of what may begin an expected answer. */
const answerDelayMs = 250;

const isKittyAnswer = (reply: string) => /^.\[\?\d+u$/s.test(reply);

/**
 * Reads the terminal in place of Ink, and provides the program's keys.
 *
 * Ink turns everything that arrived in one read into one key press, and types the halves of split sequences. This front-end reads the terminal itself (while Ink,
 * which counts the hooks that need it, has raw mode enabled), splits input into single keys, extracts pastes, mouse and focus reports, waits for the rest of torn
 * sequences, and calls the `onKey` handlers, then the focused text field. Ink only receives answers to its keyboard query, and the keys that a text field passes
 * to it.
 */
export function createInputFrontend(
	terminal: NodeJS.ReadStream,
	{clock, escapeDelayMs = 60}: InputFrontendOptions,
) {
	const keys = createHandlers<KeyEvent>();
	const pastes = createHandlers<Paste>();
	const mouse = createHandlers<MouseEvent>();
	const windowFocus = createHandlers<boolean>();
	const ends = createHandlers<void>();
	const decoder = new StringDecoder('utf8');
	let raw = false;
	let reading = false;
	let held = '';
	const tornMouse = createTornMouse(clock);
	const tornAnswers = createTornAnswers(clock);
	let onAnswer: ((answer: string) => void) | undefined;
	let paste: PasteCollector | undefined;
	let cancelFlush = nothing;
	const fields = new Set<FocusedField>();

	const fieldNow = () => [...fields].at(-1);

	const toAsker = (answer: string) => {
		onAnswer?.(answer);
		// The only answer Ink asks for: whether the kitty keyboard protocol is supported.
		if (isKittyAnswer(answer)) {
			ink.push(answer);
		}
	};

	const queue = createKeystrokeQueue(
		createHandOut({keys, pastes, mouse, windowFocus, fieldNow, toAsker}),
	);

	const onPasted = (pasted: Paste) => {
		paste = undefined;
		queue.add({kind: 'pasted', paste: pasted});
	};

	const continuePaste = (collector: PasteCollector) => {
		const rest = collector.add(held) ?? '';
		// The paste's receiver may have released the terminal.
		held = reading ? rest : '';
	};

	/** Splits the held input into complete tokens. `alone`: it arrived in one read, with nothing held before. */
	const cut = (final: boolean, alone: boolean) => {
		const t = clock.monotonic();
		for (let first = true; held !== ''; first = false) {
			const more = tornAnswers.continuation(held, final);
			if (more === 'undecided') {
				return;
			}

			if (more.length > 0) {
				held = held.slice(more.length);
				const {answer} = more;
				if (answer !== undefined) {
					queue.add({kind: 'reply', raw: answer, t, alone: false});
				}

				continue;
			}

			const split = splitInput(held, final);
			if (!split) {
				return;
			}

			const piece = held.slice(0, split.length);
			held = held.slice(split.length);
			const {token} = split;
			if (final && token.kind !== 'reply') {
				tornAnswers.giveUp(piece, onAnswer !== undefined);
			}

			if (token.kind === 'paste') {
				paste = collectPaste(clock, onPasted);
				continuePaste(paste);
			} else {
				if (token.kind === 'torn-mouse') {
					tornMouse.giveUp(piece);
				}

				queue.add({...token, t, alone: alone && first && held === ''});
			}
		}
	};

	const receive = (text: string, whole: boolean) => {
		const alone = whole && held === '' && paste === undefined;
		cancelFlush();
		held += withoutTornMouse(text);
		if (paste) {
			continuePaste(paste);
		}

		cut(false, alone);
		if (held !== '') {
			const heldAlone = alone && held.length === text.length;
			const delayMs = onAnswer && isAnswerBegun(held) ? answerDelayMs : escapeDelayMs;
			cancelFlush = clock.after(delayMs, () => cut(true, heldAlone));
		}
	};

	const withoutTornMouse = (text: string): string => {
		const length = tornMouse.restLength(text);
		if (length > 0) {
			mouse.ask(tornMouseEvent(clock.monotonic()));
		}

		return text.slice(length);
	};

	const onData = (data: Buffer | string) => {
		const text = typeof data === 'string' ? data : decoder.write(data);
		// A partial character at either end of the chunk does not encode back to the same bytes.
		const whole = typeof data === 'string' || Buffer.from(text).equals(data);
		if (text !== '') {
			receive(text, whole);
		}
	};

	const onEnd = () => ends.ask();

	const stop = () => {
		reading = false;
		cancelFlush();
		paste?.cancel();
		paste = undefined;
		held = '';
		tornMouse.clear();
		tornAnswers.clear();
		onAnswer = undefined;
		queue.clear();
		terminal.off('data', onData);
		terminal.pause();
	};

	const setRaw = (isRaw: boolean) => {
		raw = isRaw;
		terminal.setRawMode(isRaw);
	};

	const setRawMode = (isRaw: boolean) => {
		setRaw(isRaw);
		if (isRaw === reading) {
			return;
		}

		if (!isRaw) {
			stop();
			return;
		}

		reading = true;
		terminal.on('data', onData);
		terminal.resume();
	};

	const ink = createInkStdin(terminal, setRawMode);
	terminal.on('end', onEnd);
	terminal.on('error', onEnd);

	return {
		/** The stdin for Ink's `render()`. */
		stdin: ink.stream,
		/** Prevents the terminal from echoing keys before Ink reads; no key is lost. */
		disableEcho: () => setRaw(true),
		/** Adds a handler that is offered every key, in order of subscription, until one returns `true` (used). Returns a function that removes it. */
		onKey: keys.add,
		/** Adds a handler of pastes, likewise. */
		onPaste: pastes.add,
		onMouse: (handler: (mouse: MouseEvent) => void) => mouse.add(event => (handler(event), false)),
		/** Reports that the terminal's window got (`true`) or lost the focus, while such reports are enabled. */
		onWindowFocus: (handler: (focused: boolean) => void) =>
			windowFocus.add(focused => (handler(focused), false)),
		/** Calls the handler when the terminal is gone. */
		onEnd: (handler: () => void) => ends.add(() => (handler(), false)),
		/**
		 * Expects answers to a question: passes them to `handler` until the returned function is called, or Ink releases the terminal. Meanwhile a lone Escape is
		 * held longer, because an answer may begin with it. One question at a time.
		 */
		expectAnswers: (handler: (raw: string) => void) => {
			onAnswer = handler;
			return () => {
				if (onAnswer === handler) {
					onAnswer = undefined;
				}
			};
		},
		/** Focuses a text field: only it receives keys and pastes that no handler used. Returns a function that ends this. */
		focusField(field: FocusedField) {
			const own = {...field};
			fields.add(own);
			return () => {
				fields.delete(own);
			};
		},
		/** Whether a text field is focused. */
		fieldFocused: () => fields.size > 0,
		/** Passes a key to Ink, for a component that gets its keys from there; every mounted one receives it at once. */
		typeIntoInk: ({id, text}: Pick<KeyEvent, 'id' | 'text'>) =>
			ink.push(text === '' ? bytesOfKey(id) : text),
		/** Whether keys that were read are still to be handled. */
		busy: queue.busy,
		/** Releases the terminal, which echoes again; held input is dropped. */
		[Symbol.dispose]() {
			if (reading) {
				stop();
			}

			if (raw) {
				setRaw(false);
			}

			terminal.off('end', onEnd);
			terminal.off('error', onEnd);
		},
	};
}
