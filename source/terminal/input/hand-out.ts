import {singleLine} from '../text/single-line.ts';
import type {KeyEvent} from './key-event.ts';
import {mouseEventOf, tornMouseEvent, type MouseEvent} from './mouse-event.ts';
import type {Paste} from './paste-collector.ts';
import type {Token} from './split-input.ts';

/** A piece of input in the queue, and when it was read. */
type InputEntry =
	| (Exclude<Token, {kind: 'paste'}> & {readonly t: number; readonly alone: boolean})
	| {readonly kind: 'pasted'; readonly paste: Paste};

/** A focused text field receives keys and pastes that no handler used. */
export type FocusedField = {
	readonly key: (key: KeyEvent) => void;
	/** Inserts one line without control characters. */
	readonly paste: (text: string) => void;
};

/** The receivers of input, by kind. */
type Takers = {
	readonly keys: Handlers<KeyEvent>;
	readonly pastes: Handlers<Paste>;
	readonly mouse: Handlers<MouseEvent>;
	readonly windowFocus: Handlers<boolean>;
	readonly fieldNow: () => FocusedField | undefined;
	/** Receives the terminal's answers. */
	readonly toAsker: (raw: string) => void;
};

const maxFieldPasteLength = 10_000;

/** Dispatches each entry to the receivers of its kind; keys and pastes that no handler used go to the focused text field. */
export function createHandOut(takers: Takers): (entry: InputEntry) => void {
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
			case 'pasted':
				if (!pastes.ask(entry.paste)) {
					fieldNow()?.paste(singleLine(entry.paste.text, maxFieldPasteLength));
				}

				break;
			case 'mouse':
				mouse.ask(mouseEventOf(entry, entry.t));
				break;
			case 'focus':
				windowFocus.ask(entry.focused);
				break;
			case 'reply':
				toAsker(entry.raw);
				break;
			case 'torn-mouse':
				mouse.ask(tornMouseEvent(entry.t));
				break;
			case 'nothing':
		}
	};
}

type Handlers<Value> = ReturnType<typeof createHandlers<Value>>;

/** A list of handlers: a value is offered to each in turn until one uses it. Handlers may be added or removed meanwhile. */
export function createHandlers<Value>() {
	let handlers: ReadonlyArray<{readonly handle: (value: Value) => boolean}> = [];
	return {
		/** Returns a function that removes the handler. */
		add: (handle: (value: Value) => boolean) => {
			const entry = {handle};
			handlers = [...handlers, entry];
			return () => {
				handlers = handlers.filter(other => other !== entry);
			};
		},
		/** Calls handlers in order of subscription until one returns `true`; returns whether one did. */
		ask: (value: Value): boolean => handlers.some(({handle}) => handle(value)),
	};
}

const maxWaiting = 10_000;

/**
 * Handles entries one by one, the first synchronously, with two turns of the event loop between them, so that React draws the effect of each. Handled together,
 * `jj` would move one row, and `abc` would type `c`. It also lets the gateway work during a flood of keys.
 */
export function createKeystrokeQueue(handle: (entry: InputEntry) => void) {
	let waiting: InputEntry[] = [];
	let turn: NodeJS.Immediate | undefined;

	const take = (entry: InputEntry) => {
		turn = setImmediate(() => {
			turn = setImmediate(next);
		});
		handle(entry);
	};

	const next = () => {
		turn = undefined;
		const entry = waiting.shift();
		if (entry !== undefined) {
			take(entry);
		}
	};

	return {
		/** Handles `entry` at once, or after queued ones. Drops it if 10,000 are waiting. */
		add(entry: InputEntry) {
			if (!turn) {
				take(entry);
			} else if (waiting.length < maxWaiting) {
				waiting.push(entry);
			}
		},
		/** Whether entries are queued, or the last one's turn is not over. */
		busy: () => turn !== undefined,
		/** Drops the waiting entries. */
		clear() {
			waiting = [];
			clearImmediate(turn);
			turn = undefined;
		},
	};
}
