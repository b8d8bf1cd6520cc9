import {singleLine} from '../text/single-line.ts';
import type {Handlers} from './handlers.ts';
import type {KeyEvent} from './key-event.ts';
import {mouseEventOf, tornMouseEvent, type MouseEvent} from './mouse-event.ts';
import type {Paste} from './paste-collector.ts';
import type {Token} from './split-input.ts';

/** What waits for its turn: what was read, and when. */
export type Entry =
	| (Exclude<Token, {kind: 'paste'}> & {readonly t: number; readonly alone: boolean})
	| {readonly kind: 'pasted'; readonly paste: Paste};

/** What a text field does with what is left to it. */
export type FocusedField = {
	readonly key: (key: KeyEvent) => void;
	/** One line, without controls. */
	readonly paste: (text: string) => void;
};

/** Whoever gets what was read. */
export type Takers = {
	readonly keys: Handlers<KeyEvent>;
	readonly pastes: Handlers<Paste>;
	readonly mouse: Handlers<MouseEvent>;
	readonly windowFocus: Handlers<boolean>;
	readonly fieldNow: () => FocusedField | undefined;
	/** What the terminal answers. */
	readonly toAsker: (raw: string) => void;
};

const maxFieldPasteLength = 10_000;

/** Gives each entry to those who take its kind; keys and pastes that nobody takes go to the text field that has the focus. */
export function createHandOut(takers: Takers): (entry: Entry) => void {
	const {keys, pastes, mouse, windowFocus, fieldNow, toAsker} = takers;
	return entry => {
		switch (entry.kind) {
			case 'key': {
				const key = {...entry.key, t: entry.t, alone: entry.alone};
				if (!keys.ask(key)) {
					fieldNow()?.key(key);
				}

				break;
			}
			case 'pasted': {
				if (!pastes.ask(entry.paste)) {
					fieldNow()?.paste(singleLine(entry.paste.text, maxFieldPasteLength));
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
				toAsker(entry.raw);
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
}
