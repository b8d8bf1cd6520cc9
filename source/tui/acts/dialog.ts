import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {AskedParts} from '../approvals/seen-rows.ts';
import type {FormState} from '../forms/form.ts';
import type {Line} from '../lines/line.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {Overlay, ViewState} from '../state/view.ts';
import {inScope, onKeys, type Command, type ListedCommand} from './command.ts';
import {change} from './navigate.ts';

/** Cells and rows. */
export type Area = {readonly width: number; readonly height: number};

/** A text field that is drawn by React. */
export type BoxField = {
	readonly value: string;
	readonly note: Safe;
	readonly onChange: (value: string) => void;
};

/** What stands in the box of a dialog. */
export type BoxContent = {
	readonly title: readonly Line[];
	readonly rows: readonly Line[];
	/** The row that has to be seen where not all have room. */
	readonly shown?: number;
	/** The first row of what can be scrolled, as it is shown. A `top` of the dialog's state that lies beyond it becomes this one: the next key back then moves. */
	readonly top?: number;
	/** Cells inside of the border; as many as the widest row needs when absent. */
	readonly width?: number;
	/** A text field over the first row. */
	readonly field?: BoxField;
};

/** What a person is asked for, by the name that the guard knows it under. */
export type ShownParts = {readonly of: string; readonly asked: AskedParts};

/** What is drawn in the place of the pane, under a rule of its own. */
export type Page = {
	readonly title: readonly Line[];
	readonly rows: readonly Line[];
	/** The first row that is shown. */
	readonly top: number;
	/** At most so many of them; as many as have room when absent. */
	readonly height?: number;
	/** Rows that stay under them. */
	readonly footer?: readonly Line[];
	/** Cells of rows and footer; all when absent. */
	readonly width?: number;
	/** Rows at the right edge, in so many cells. */
	readonly side?: readonly Line[];
	readonly sideWidth?: number;
	/** What `Dialog.shown` hears of once the frame has left for the terminal. */
	readonly asked?: ShownParts;
};

/**
 * One kind of what lies over the panes. Which keys hold, where text and pastes go, what is drawn, help and keymap follow from the
 * list of these (`commands/dialogs`).
 */
export type DialogOf<State> = {
	/** Heading of its keys in help and keymap. */
	readonly title: string;
	/** Without a scope they hold in that of the dialog. */
	readonly commands: readonly ListedCommand[];
	/** While its line has the keyboard, other keys hold: those of the scope `KIND-text`. */
	readonly typesApart?: true;
	/** What is drawn in a box over the pane, for at most `room` inside of its border. */
	contents?(state: State, shell: Shell, room: Area): BoxContent;
	/** What is drawn in the place of the pane. A toast takes the last row then: the page names its keys itself, and none of its rows may be covered. */
	page?(state: State, shell: Shell, area: Area): Page;
	/** What is said of it on a terminal that is too small to draw it. */
	readonly whenTooSmall?: Line;
	/** Says what is to be loaded while it is open. */
	want?(host: Host): void;
	/** Whether what it shows counts seconds while nothing happens. */
	countsSeconds?(state: GatewayState): boolean;
	/** Hears that a page stands on the screen. */
	shown?(shell: Shell, parts: ShownParts): void;
	/** A line of text; `undefined`: it does not have the keyboard now. */
	readonly line?: {
		get(state: State): LineText | undefined;
		set(state: State, line: LineText): State;
		/** A paste is refused: a name that is asked for has to be typed. */
		mustBeTyped?(state: State): boolean;
	};
	/** A form; `undefined`: it is not open now. */
	readonly form?: {
		get(state: State): FormState | undefined;
		set(state: State, form: FormState): State;
		/** After each change. */
		changed?(shell: Shell): void;
		/** A key goes beyond the first or the last field. */
		leftBy?(shell: Shell, step: number): void;
	};
	/** Whether a text field that React draws has the keyboard. */
	takesText?(state: State): boolean;
	/** That text field, where it stands in the last row. */
	lastRow?(state: State, shell: Shell): BoxField | undefined;
	/** Takes a paste, instead of the line. */
	paste?(shell: Shell, text: string): void;
	/** Takes a key before its commands do; `false`: it is not meant. */
	press?(shell: Shell, state: State, key: KeyEvent): boolean;
	/** Whether a key press may do what is guarded; never when absent. Says why not. */
	guard?(shell: Shell, key: KeyEvent): boolean;
	/** An unbound key or a paste was probably typed for something else: it re-arms the guard. */
	readonly isWatched?: true;
	/** What it says is waiting: no banner says so besides. */
	readonly tells?: 'approvals' | 'installs';
	/** It stands under an approval sheet that is opened over it, and comes back. */
	readonly comesBack?: true;
};

export type Dialog = Omit<DialogOf<Overlay>, 'commands'> & {
	readonly kind: string;
	/** Where its keys hold: its kind, but for the steps of a wizard. */
	readonly scope: string;
	readonly commands: readonly Command[];
};

/** How the state of one kind of dialog is read and changed. */
export type DialogState<State> = {
	readonly kind: string;
	/** The state of the dialog, while it is the one that is open. */
	readonly now: (shell: Host) => State | undefined;
	readonly isOpen: (shell: Host) => boolean;
	/** Opens it in the place of whatever lies over the panes; `also` changes with it. Fails for a kind that is not in the list. */
	readonly open: (shell: Shell, state: State, also?: Partial<ViewState>) => void;
	/** Changes it, while it is the one that is open. */
	readonly change: (shell: Shell, update: (state: State) => State) => void;
};

/** The state of a new kind of dialog. */
export function dialogState<State extends object>(kind: string): DialogState<State> {
	const stateOf = (overlay: Overlay | undefined) =>
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is of a kind was made as that
		overlay?.kind === kind ? (overlay as unknown as State) : undefined;
	return {
		kind,
		now: ({view}) => stateOf(view.get().overlay),
		isOpen: ({view}) => view.get().overlay?.kind === kind,
		open(shell, state, also) {
			// It would have the keyboard, and no key to leave it.
			if (!shell.dialogs.has(kind)) {
				throw new Error(`Cannot open the dialog "${kind}": it is not in the list of dialogs`);
			}

			change(shell, {...also, overlay: {...state, kind}});
		},
		change: (shell, update) =>
			shell.view.set(view => {
				const state = stateOf(view.overlay);
				const next = state && update(state);
				return next === state ? view : {...view, overlay: {...next, kind}};
			}),
	};
}

/** A kind of dialog for the list. */
export function defineDialog<State>(
	{kind}: DialogState<State>,
	{commands, ...record}: DialogOf<State>,
): Dialog {
	const whole = {...record, kind, scope: kind, commands: inScope(kind, commands)};
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is asked of states of its own kind alone
	return whole as unknown as Dialog;
}

/** One step of a wizard: a form, a choice, a text. */
export const step = <State>(
	state: DialogState<State>,
	record: Omit<DialogOf<State>, 'title'>,
): Dialog => defineDialog(state, {comesBack: true, ...record, title: ''});

/**
 * Dialogs that are one thing to a person, for the list: they share a heading and the scope of their keys, or two where steps are typed apart. Keys of a step hold in it alone, `keys` in all
 * of them that have their scope.
 */
export const defineWizard = (
	scope: string,
	{title, keys}: {readonly title: string; readonly keys: readonly ListedCommand[]},
	steps: readonly Dialog[],
): readonly Dialog[] =>
	steps.map((dialog, index) => ({
		...dialog,
		scope,
		title,
		commands: [
			...dialog.commands.map(({when, ...command}): Command => ({
				...command,
				scope: dialog.typesApart ? `${scope}-text` : scope,
				when: shell => shell.view.get().overlay?.kind === dialog.kind && when?.(shell) !== false,
			})),
			...(index === steps.length - 1 ? inScope(scope, keys) : []),
		],
	}));

/** The dialog that is open, with its state. */
export function dialogNow(
	shell: Host,
): {readonly dialog: Dialog; readonly state: Overlay} | undefined {
	const state = shell.view.get().overlay;
	const dialog = state && shell.dialogs.get(state.kind);
	return dialog && {dialog, state};
}

/** Whether a page stands in the place of the pane. */
export const isPage = (shell: Host): boolean => dialogNow(shell)?.dialog.page !== undefined;

/** Goes back to the panes. */
export const close = (shell: Shell): void => change(shell, {overlay: undefined});

/** The way out of a dialog. */
export const closing = (
	id: string,
	keys: readonly string[],
	label = literal('close'),
): ListedCommand => onKeys([`${id}.close`, ...keys], label, {run: close});

/** Keys, what they do, and by how many rows where a page has `page` of them. */
const scrolls = {
	down: [['j', 'down'], literal('down'), () => 1],
	up: [['k', 'up'], literal('up'), () => -1],
	'page-down': [['pgdn', 'ctrl+d', 'space'], literal('page down'), page => page],
	'page-up': [['pgup', 'ctrl+u'], literal('page up'), page => -page],
	first: [['g', 'home'], literal('first row'), () => -Infinity],
	last: [['G', 'end'], literal('last row'), () => Infinity],
} as const satisfies Readonly<
	Record<string, readonly [readonly string[], Safe, (page: number) => number]>
>;

type ScrollName = keyof typeof scrolls;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own keys
const scrollNames = Object.keys(scrolls) as readonly ScrollName[];

export type ScrollOptions = {
	readonly names?: readonly ScrollName[];
	/** Rows of a page. */
	readonly page?: (shell: Shell) => number;
	readonly more?: ((name: ScrollName) => Partial<ListedCommand>) | undefined;
};

/** Keys that scroll by rows. */
export const scrolling = (
	id: string,
	scroll: (shell: Shell, rows: number) => void,
	{names = scrollNames, page = () => 10, more}: ScrollOptions = {},
): readonly ListedCommand[] =>
	names.map(name => {
		const [keys, label, rows] = scrolls[name];
		return onKeys([`${id}.${name}`, ...keys], label, {
			run: shell => scroll(shell, rows(page(shell))),
			...more?.(name),
		});
	});
