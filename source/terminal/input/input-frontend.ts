import {StringDecoder} from 'node:string_decoder';
import type {Clock} from '../../core/clock.ts';
import {singleLine} from '../text/single-line.ts';
import {createHandlers} from './handlers.ts';
import {createInkStdin, inkEncoding} from './ink-stdin.ts';
import type {KeyEvent} from './key-event.ts';
import {createKeystrokeQueue} from './keystroke-queue.ts';
import {mouseEventOf, tornMouseEvent, type MouseEvent} from './mouse-event.ts';
import {collectPaste, type Paste, type PasteCollector} from './paste-collector.ts';
import {mouseReportLength, splitInput, type Token} from './split-input.ts';

export type InputFrontend = {
	/** The stdin to give to Ink's `render()`. */
	readonly stdin: NodeJS.ReadStream;
	/** Keeps the terminal from echoing what is typed until Ink reads it; nothing of it is lost. */
	disableEcho(): void;
	/** Asks `handler` for every key, in order of subscription, until one returns `true` ("taken"). Returns the way out. */
	onKey(handler: (key: KeyEvent) => boolean): () => void;
	/** The same for pastes. */
	onPaste(handler: (paste: Paste) => boolean): () => void;
	onMouse(handler: (mouse: MouseEvent) => void): () => void;
	/** Whether the terminal's window got (`true`) or lost the focus; while such reports are switched on. */
	onWindowFocus(handler: (focused: boolean) => void): () => void;
	/** The terminal is gone: the program has nobody to talk to. */
	onEnd(handler: () => void): () => void;
	/** Says that a text field of Ink has the focus: keys and pastes that nobody took go to it. Returns the release. */
	focusField(): () => void;
	/** Whether a text field of Ink has the focus. */
	fieldFocused(): boolean;
	/** Whether keys that were read have not been handled yet. */
	busy(): boolean;
	/** Lets go of the terminal, which echoes again; what is held is dropped. */
	[Symbol.dispose](): void;
};

export type InputFrontendOptions = {
	readonly clock: Clock;
	/** How long the rest of a split sequence is waited for, milliseconds: 60; 100 over SSH. */
	readonly escapeDelayMs?: number;
};

const nothing = () => {};

/** What waits for its turn: what was read, and when. */
type Entry =
	| (Exclude<Token, {kind: 'paste'}> & {readonly t: number; readonly alone: boolean})
	| {readonly kind: 'pasted'; readonly paste: Paste};

const tornMouseMs = 1000;
const maxFieldPasteLength = 10_000;

const isKittyAnswer = (reply: string) => /^.\[\?\d+u$/s.test(reply);

/**
 * Stands between the terminal and Ink, and is where the program gets its keys from.
 *
 * Ink makes one key press of everything that arrived in one read and types the halves of split sequences. This reads the
 * terminal itself (while Ink, which counts the hooks that need it, has raw mode on), splits what comes into single keys, takes
 * out pastes, mouse and focus reports, waits for the rest of what was split, and asks `onKey` handlers. Ink sees nothing but
 * what a focused text field of its own needs, in the plainest encoding, and answers to its keyboard query.
 */
export function createInputFrontend(
	terminal: NodeJS.ReadStream,
	{clock, escapeDelayMs = 60}: InputFrontendOptions,
): InputFrontend {
	const keys = createHandlers<KeyEvent>();
	const pastes = createHandlers<Paste>();
	const mouse = createHandlers<MouseEvent>();
	const windowFocus = createHandlers<boolean>();
	const ends = createHandlers<void>();
	const decoder = new StringDecoder('utf8');
	let raw = false;
	let reading = false;
	let held = '';
	let tornCharacter = false;
	let tornMouse: {readonly raw: string; readonly t: number} | undefined;
	let paste: PasteCollector | undefined;
	let cancelFlush = nothing;
	let fields = 0;

	const toField = (text: string | undefined) => {
		if (fields > 0 && text !== undefined && text !== '') {
			ink.push(text);
		}
	};

	const dispatch = (entry: Entry) => {
		switch (entry.kind) {
			case 'key': {
				const key = {...entry.key, t: entry.t, alone: entry.alone};
				if (!keys.ask(key)) {
					toField(inkEncoding(key));
				}

				break;
			}
			case 'pasted': {
				if (!pastes.ask(entry.paste)) {
					toField(singleLine(entry.paste.text, maxFieldPasteLength));
				}

				break;
			}
			case 'mouse': {
				mouse.ask(mouseEventOf(entry, entry.t));
				break;
			}
			case 'focus': {
				windowFocus.ask(entry.focused);
				break;
			}
			case 'reply': {
				// The only answer that Ink asks for: whether the kitty keyboard protocol is there.
				if (isKittyAnswer(entry.raw)) {
					ink.push(entry.raw);
				}

				break;
			}
			case 'torn-mouse': {
				mouse.ask(tornMouseEvent(entry.t));
				break;
			}
			case 'nothing': {
				break;
			}
		}
	};

	const queue = createKeystrokeQueue(dispatch);

	const onPasted = (pasted: Paste) => {
		paste = undefined;
		queue.add({kind: 'pasted', paste: pasted});
	};

	const continuePaste = (collector: PasteCollector) => {
		const rest = collector.add(held) ?? '';
		// Whoever got the paste may have given the terminal away.
		held = reading ? rest : '';
	};

	/** Cuts what is held into tokens as far as they are whole. `alone`: it came in one read, with nothing before. */
	const cut = (final: boolean, alone: boolean) => {
		const t = clock.monotonic();
		for (let first = true; held !== ''; first = false) {
			const split = splitInput(held, final);
			if (!split) {
				return;
			}

			held = held.slice(split.length);
			const {token} = split;
			if (token.kind === 'paste') {
				paste = collectPaste(clock, onPasted);
				continuePaste(paste);
			} else {
				tornMouse = token.kind === 'torn-mouse' ? {raw: token.raw, t} : undefined;
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
			cancelFlush = clock.after(escapeDelayMs, () => {
				cut(true, heldAlone);
			});
		}
	};

	/** The rest of a mouse report that was given up a moment ago is no text. */
	const withoutTornMouse = (text: string): string => {
		const torn = tornMouse;
		tornMouse = undefined;
		if (torn === undefined || clock.monotonic() - torn.t > tornMouseMs) {
			return text;
		}

		const length = Math.max(0, mouseReportLength(torn.raw + text) - torn.raw.length);
		if (length > 0) {
			mouse.ask(tornMouseEvent(clock.monotonic()));
		}

		return text.slice(length);
	};

	const onData = (data: Buffer | string) => {
		const text = typeof data === 'string' ? data : decoder.write(data);
		const complete = typeof data === 'string' || Buffer.byteLength(text) === data.length;
		const whole = complete && !tornCharacter;
		tornCharacter = !complete;
		if (text !== '') {
			receive(text, whole);
		}
	};

	const onEnd = () => {
		ends.ask();
	};

	const stop = () => {
		reading = false;
		cancelFlush();
		paste?.cancel();
		paste = undefined;
		held = '';
		tornMouse = undefined;
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
		stdin: ink.stream,
		disableEcho() {
			setRaw(true);
		},
		onKey: keys.add,
		onPaste: pastes.add,
		onMouse: handler => mouse.add(event => (handler(event), false)),
		onWindowFocus: handler => windowFocus.add(focused => (handler(focused), false)),
		onEnd: handler => ends.add(() => (handler(), false)),
		focusField() {
			fields++;
			let released = false;
			return () => {
				fields -= released ? 0 : 1;
				released = true;
			};
		},
		fieldFocused: () => fields > 0,
		busy: queue.busy,
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
