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

/** A text field drawn by React. */
export type BoxField = {
	readonly value: string;
	readonly note: Safe;
	readonly onChange: (value: string) => void;
};

/** The contents of a dialog's box. */
export type BoxContent = {
	readonly title: readonly Line[];
	readonly rows: readonly Line[];
	/** The row to keep visible where not all rows fit. */
	readonly shown?: number;
	/** The first visible row, clamped. If the dialog's state has a larger `top`, it is set to this one, so that the next key up moves at once. */
	readonly top?: number;
	/** Cells inside the border; absent: the width of the widest row. */
	readonly width?: number;
	/** A text field over the first row. */
	readonly field?: BoxField;
};

/** What a person is asked, under the name `of` by which the guard knows it. */
export type ShownParts = {readonly of: string; readonly asked: AskedParts};

/** What is drawn in place of the pane, under its own rule. */
export type Page = {
	readonly title: readonly Line[];
	readonly rows: readonly Line[];
	/** The first visible row. */
	readonly top: number;
	/** The most rows to show; absent: as many as fit. */
	readonly height?: number;
	/** Rows fixed below the scrolling ones. */
	readonly footer?: readonly Line[];
	/** Cells of rows and footer; absent: the full width. */
	readonly width?: number;
	/** Rows at the right edge, with their width in cells. */
	readonly side?: readonly Line[];
	readonly sideWidth?: number;
	/** Passed to `Dialog.shown` once the frame was written to the terminal. */
	readonly asked?: ShownParts;
};

/** One kind of dialog over the panes. Its keys, where text and pastes go, what is drawn, help and keymap all follow from the list in `commands/dialogs`. */
export type DialogOf<State> = {
	/** Heading of its keys in help and keymap. */
	readonly title: string;
	/** Commands without a scope get that of the dialog. */
	readonly commands: readonly ListedCommand[];
	/** While its line is focused, only keys of the scope `KIND-text` hold. */
	readonly typesApart?: true;
	/** Draws a box over the pane, at most `room` large inside its border. */
	contents?(state: State, shell: Shell, room: Area): BoxContent;
	/** Draws in place of the pane. A toast then replaces the footer of keys instead of covering rows of the page, so the page names its keys itself. */
	page?(state: State, shell: Shell, area: Area): Page;
	/** Shown instead on a terminal that is too small to draw the dialog. */
	readonly whenTooSmall?: Line;
	/** Requests what has to be loaded while the dialog is open. */
	want?(host: Host): void;
	/** Whether the dialog shows a count of seconds, so must be redrawn although nothing happens. */
	countsSeconds?(state: GatewayState): boolean;
	/** Called once a page is on the screen. */
	shown?(shell: Shell, parts: ShownParts): void;
	/** A line of text; `undefined` while it is not focused. */
	readonly line?: {
		get(state: State): LineText | undefined;
		set(state: State, line: LineText): State;
		/** Whether pastes are refused, because a name has to be typed. */
		mustBeTyped?(state: State): boolean;
	};
	/** A form; `undefined` while it is not open. */
	readonly form?: {
		get(state: State): FormState | undefined;
		set(state: State, form: FormState): State;
		/** Called after each change. */
		changed?(shell: Shell): void;
		/** Called when a key moves beyond the first or the last field. */
		leftBy?(shell: Shell, step: number): void;
	};
	/** Whether a text field drawn by React is focused. */
	takesText?(state: State): boolean;
	/** That text field, if it is in the last row. */
	lastRow?(state: State, shell: Shell): BoxField | undefined;
	/** Takes a paste, in place of the line. */
	paste?(shell: Shell, text: string): void;
	/** Takes a key before the dialog's commands; `false`: the key was not used. */
	press?(shell: Shell, state: State, key: KeyEvent): boolean;
	/** Whether a key press may run a guarded command, showing why not. Absent: none may. */
	guard?(shell: Shell, key: KeyEvent): boolean;
	/** An unbound key or a paste re-arms the guard, because it was probably meant for something else. */
	readonly isWatched?: true;
	/** The kind of waiting requests that this dialog shows, so that no banner announces them as well. */
	readonly tells?: 'approvals' | 'installs';
	/** Stays under an approval sheet that opens over it, and is shown again afterwards. */
	readonly comesBack?: true;
};

export type Dialog = Omit<DialogOf<Overlay>, 'commands'> & {
	readonly kind: string;
	/** Where its keys hold: the dialog's kind, except for the steps of a wizard. */
	readonly scope: string;
	readonly commands: readonly Command[];
};

/** Reads and changes the state of one kind of dialog. */
export type DialogState<State> = {
	readonly kind: string;
	/** The dialog's state; `undefined` while another one or none is open. */
	readonly now: (shell: Host) => State | undefined;
	readonly isOpen: (shell: Host) => boolean;
	/** Opens the dialog, replacing any other; `also` changes in the same update. Fails for a kind that is not in the list. */
	readonly open: (shell: Shell, state: State, also?: Partial<ViewState>) => void;
	/** Changes the state, if the dialog is open. */
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
			// An unknown dialog would take the keyboard without a key to leave it.
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

/** Defines a kind of dialog for the list. */
export function defineDialog<State>(
	{kind}: DialogState<State>,
	{commands, ...record}: DialogOf<State>,
): Dialog {
	const whole = {...record, kind, scope: kind, commands: inScope(kind, commands)};
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is asked of states of its own kind alone
	return whole as unknown as Dialog;
}

/** A step of a wizard: a form, a choice or a text. */
export const step = <State>(
	state: DialogState<State>,
	record: Omit<DialogOf<State>, 'title'>,
): Dialog => defineDialog(state, {comesBack: true, ...record, title: ''});

/**
 * Defines the steps of a wizard as dialogs that share a heading and the scope of their keys (a second scope for steps that type apart). A step's commands hold in
 * that step only, `keys` in every step of that scope.
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

/** The open dialog with its state. */
export function dialogNow(
	shell: Host,
): {readonly dialog: Dialog; readonly state: Overlay} | undefined {
	const state = shell.view.get().overlay;
	const dialog = state && shell.dialogs.get(state.kind);
	return dialog && {dialog, state};
}

/** Whether a dialog's page replaces the pane. */
export const isPage = (shell: Host): boolean => dialogNow(shell)?.dialog.page !== undefined;

/** Closes the dialog. */
export const close = (shell: Shell): void => change(shell, {overlay: undefined});

/** The command that closes a dialog. */
export const closing = (
	id: string,
	keys: readonly string[],
	label = literal('close'),
): ListedCommand => onKeys([`${id}.close`, ...keys], label, {run: close});

/** Per scroll command its keys, its label, and by how many rows it scrolls, given the rows of a page. */
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
	/** Rows per page. */
	readonly page?: (shell: Shell) => number;
	readonly more?: ((name: ScrollName) => Partial<ListedCommand>) | undefined;
};

/** Commands that scroll by rows. */
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
