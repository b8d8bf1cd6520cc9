/**
 * One key press, named the same in every terminal.
 *
 * `id` is what tables bind: printable keys are themselves (`j`, `G`, `?`, `é`), others have names (`enter`, `esc`, `tab`,
 * `space`, `backspace`, `delete`, `insert`, `up`, `down`, `left`, `right`, `home`, `end`, `pgup`, `pgdn`, `f1`…`f12`), with
 * the modifiers `ctrl+`, `alt+`, `shift+` in this order in front (`ctrl+k`, `shift+tab`, `alt+a`). Shift is part of a printable
 * key (`G`, not `shift+g`).
 */
export type KeyEvent = {
	readonly id: string;
	/** What a text field inserts: one grapheme; empty for every other key. */
	readonly text: string;
	/** When the key was read: `Clock.monotonic()`, milliseconds. */
	readonly t: number;
	/** Whether the key was all that its read held: a paste or a burst never is. */
	readonly alone: boolean;
};
