import type {Clock} from '../../core/clock.ts';
import type {KeyEvent} from './key-event.ts';

/** Text that the terminal marked as pasted. */
export type Paste = {
	/** As it came, at most 1 MB; a stranger's text. */
	readonly text: string;
	/** `false` when the end was cut off or its mark never came. */
	readonly complete: boolean;
	readonly t: number;
};

/** A mouse report (SGR). Columns and rows count from 1. */
export type MouseEvent = {
	readonly kind: 'press' | 'release' | 'move' | 'wheel-up' | 'wheel-down';
	readonly column: number;
	readonly row: number;
	readonly t: number;
};

export type InputFrontend = {
	/** The stdin to give to Ink's `render()`. */
	readonly stdin: NodeJS.ReadStream;
	/** Asks `handler` for every key, in order of subscription, until one returns `true` ("taken"). Returns the way out. */
	onKey(handler: (key: KeyEvent) => boolean): () => void;
	/** The same for pastes. */
	onPaste(handler: (paste: Paste) => boolean): () => void;
	onMouse(handler: (mouse: MouseEvent) => void): () => void;
	/** Whether the terminal window got (`true`) or lost the focus. */
	onWindowFocus(handler: (focused: boolean) => void): () => void;
	/** The terminal is gone. */
	onEnd(handler: () => void): () => void;
	/** Says that a text field of Ink has the focus: keys and pastes that nobody took go to it. Returns the release. */
	focusField(): () => void;
	/** Whether a text field of Ink has the focus. */
	fieldFocused(): boolean;
	[Symbol.dispose](): void;
};

export type InputFrontendOptions = {
	readonly clock: Clock;
	/** How long the rest of a split sequence is waited for; 60 ms, 100 over SSH. */
	readonly escapeDelayMs?: number;
};

export declare function createInputFrontend(
	terminal: NodeJS.ReadStream,
	options: InputFrontendOptions,
): InputFrontend;
