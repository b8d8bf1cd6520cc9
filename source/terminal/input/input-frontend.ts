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
	/** How long the rest of a split sequence is waited for, milliseconds: 60; 100 over SSH. */
	readonly escapeDelayMs?: number;
};

const nothing = () => {};

/** How long the possible beginning of an expected answer waits for its rest. */
const answerDelayMs = 250;

const isKittyAnswer = (reply: string) => /^.\[\?\d+u$/s.test(reply);

/**
 * Stands between the terminal and Ink, and is where the program gets its keys from.
 *
 * Ink makes one key press of everything that arrived in one read and types the halves of split sequences. This reads the
 * terminal itself (while Ink, which counts the hooks that need it, has raw mode on), splits its input into single keys, takes
 * out pastes, mouse and focus reports, waits for the rest of torn sequences, and asks `onKey` handlers, then the text field that has the focus. Ink sees nothing but
 * answers to its keyboard query and the keys that a text field lets it read.
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
		// The only answer that Ink asks for: whether the kitty keyboard protocol is there.
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
		// The receiver of the paste may have given the terminal away.
		held = reading ? rest : '';
	};

	/** Cuts the held input into whole tokens. `alone`: it came in one read, with nothing before. */
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
		// The rest of a character, or the first half of one, does not become the same bytes again.
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
		/** The stdin to give to Ink's `render()`. */
		stdin: ink.stream,
		/** Keeps the terminal from echoing keys until Ink reads them; none is lost. */
		disableEcho: () => setRaw(true),
		/** Asks a handler for every key, in order of subscription, until one returns `true` ("taken"). Returns the way out. */
		onKey: keys.add,
		/** The same for pastes. */
		onPaste: pastes.add,
		onMouse: (handler: (mouse: MouseEvent) => void) => mouse.add(event => (handler(event), false)),
		/** Whether the terminal's window got (`true`) or lost the focus; while such reports are switched on. */
		onWindowFocus: (handler: (focused: boolean) => void) =>
			windowFocus.add(focused => (handler(focused), false)),
		/** The terminal is gone. */
		onEnd: (handler: () => void) => ends.add(() => (handler(), false)),
		/**
		 * Says that the terminal was asked something: `handler` gets its answers as they come, until the release that is returned, or until Ink gives the terminal away. Meanwhile a lone
		 * Escape is waited with somewhat longer, since an answer may begin so. One question at a time.
		 */
		expectAnswers: (handler: (raw: string) => void) => {
			onAnswer = handler;
			return () => {
				if (onAnswer === handler) {
					onAnswer = undefined;
				}
			};
		},
		/** Says that a text field has the focus: keys and pastes that no handler takes go to it alone. Returns the release. */
		focusField(field: FocusedField) {
			const own = {...field};
			fields.add(own);
			return () => {
				fields.delete(own);
			};
		},
		/** Whether a text field has the focus. */
		fieldFocused: () => fields.size > 0,
		/** Lets Ink read a key, for a component that gets its keys from Ink: each that is drawn gets it, at once. */
		typeIntoInk: ({id, text}: Pick<KeyEvent, 'id' | 'text'>) =>
			ink.push(text === '' ? bytesOfKey(id) : text),
		/** Whether keys that were read have not been handled yet. */
		busy: queue.busy,
		/** Lets go of the terminal, which echoes again; held input is dropped. */
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
