import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type IdAndKeys, type ListedCommand} from '../acts/command.ts';
import {close, closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {blankLine, type Line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';
import {keyHint, lineDialog, titled, widestText, type AskedLine} from './box.ts';

/** An entry of a menu; `key` chooses it at once, unless empty. */
export type MenuItem = {readonly key: string; readonly label: Safe; readonly run: () => void};

/** A question before an act. */
export type Confirmation = {
	readonly title: Safe;
	readonly lines: readonly Safe[];
	readonly act: Safe;
	readonly run: () => void;
	/** An alternative to the act. */
	readonly other?: Pick<MenuItem, 'label' | 'run'>;
	/** The label of Esc, where "leave it" could be mistaken for the act. */
	readonly stay?: Safe;
	/** The dialog to show again if the person declines. */
	readonly under?: Overlay | undefined;
};

export const confirmation = dialogState<Confirmation>('confirm');

export const confirmDialog = defineDialog(confirmation, {
	title: 'Question',
	contents({title, lines, act, other, stay = literal('leave it')}, _shell, room) {
		const width = Math.min(room.width, widestText);
		return {
			title: titled(title),
			rows: [
				blankLine,
				...lines.flatMap(text => told(text, width)),
				blankLine,
				[
					...keyHint(literal('  y'), safe`${act}   `),
					...(other ? keyHint(literal('t'), safe`${other.label}   `) : []),
					...keyHint(literal('Esc'), stay),
				],
			],
		};
	},
	commands: [
		onKeys(['confirm.yes', 'y'], literal('yes'), {
			run(shell) {
				const question = confirmation.now(shell);
				close(shell);
				question?.run();
			},
		}),
		onKeys(['confirm.other', 't'], literal('to another route'), {
			when: shell => confirmation.now(shell)?.other !== undefined,
			run(shell) {
				const {other} = confirmation.now(shell) ?? {};
				close(shell);
				other?.run();
			},
		}),
		onKeys(['confirm.close', 'esc', 'n', 'q', 'ctrl+c'], literal('no'), {
			run: shell => change(shell, {overlay: confirmation.now(shell)?.under}),
		}),
	],
});

type DropQuestion = {readonly run: (shell: Shell) => void} & Pick<Confirmation, 'under'> &
	Partial<Pick<Confirmation, 'lines'>>;

/** Asks whether to leave a form with unsaved changes. `under`: the form's dialog, if it is in one. */
export function askToDrop(
	shell: Shell,
	{lines = [literal('What you filled in is not saved.')], run, under}: DropQuestion,
): void {
	confirmation.open(shell, {
		title: literal('Leave without saving?'),
		lines,
		act: literal('drop them'),
		stay: literal('stay in the form'),
		under,
		run: () => run(shell),
	});
}

export type Menu = {
	readonly title: Safe;
	/** Remarks above the choices. */
	readonly notes?: readonly Safe[];
	readonly items: readonly MenuItem[];
	readonly index: number;
};

export const menu = dialogState<Menu>('menu');

type OfferedItem = Omit<MenuItem, 'key'> & Partial<Pick<MenuItem, 'key'>>;

/** Shows a menu over the pane. Of the items without a key, the first nine are numbered. */
export function openMenu(
	shell: Shell,
	{items, ...menuOf}: Omit<Menu, 'index' | 'items'> & {readonly items: readonly OfferedItem[]},
): void {
	const keyed = items.map((item, index) => ({key: index < 9 ? String(index + 1) : '', ...item}));
	menu.open(shell, {...menuOf, items: keyed, index: 0});
}

/** Wraps `index` around a list of this length. */
export const cycle = (index: number, length: number): number =>
	length === 0 ? 0 : (index + length) % length;

function choose(shell: Shell, item: MenuItem | undefined): void {
	close(shell);
	item?.run();
}

const movingMenu = (keys: IdAndKeys, label: Safe, step: 1 | -1): ListedCommand =>
	onKeys(keys, label, {
		quiet: step === -1,
		run: shell =>
			menu.change(shell, now => ({...now, index: cycle(now.index + step, now.items.length)})),
	});

export const menuDialog = defineDialog(menu, {
	title: 'Menu',
	contents({title, notes = [], items, index: chosen}, _shell, room) {
		const width = Math.min(room.width, widestText);
		const head = notes.flatMap(note => told(note, width));
		const before = [blankLine, ...head, ...(head.length > 0 ? [blankLine] : [])];
		return {
			title: titled(title),
			shown: before.length + chosen,
			rows: [
				...before,
				...items.map(({key: name, label}, index): Line => [
					{text: index === chosen ? literal('> ') : literal('  '), tone: 'accent'},
					{text: fit(escapeLine(name), 3), tone: 'accent'},
					{text: label, tone: index === chosen ? 'selected' : 'plain'},
				]),
			],
		};
	},
	press(shell, {items}, {id}) {
		const item = items.find(entry => entry.key === id);
		if (item) {
			choose(shell, item);
		}

		return item !== undefined;
	},
	commands: [
		onKeys(['menu.choose', 'enter'], literal('choose'), {
			run(shell) {
				const {items, index = 0} = menu.now(shell) ?? {};
				choose(shell, items?.[index]);
			},
		}),
		movingMenu(['menu.down', 'down', 'tab', 'ctrl+n'], literal('next'), 1),
		movingMenu(['menu.up', 'up', 'shift+tab', 'ctrl+p'], literal('previous'), -1),
		closing('menu', ['esc', 'ctrl+c', 'q']),
	],
});

/** An irreversible act, confirmed by typing a name. */
type NameQuestion = Pick<Confirmation, 'title' | 'lines' | 'act' | 'run'> & {
	/** The name to type. */
	readonly name: string;
	/** Another accepted name. */
	readonly other?: string;
};

const typeName = dialogState<AskedLine & NameQuestion>('type-name');

/** Runs `run` after the person typed `name`: for irreversible acts. */
export function askForName(shell: Shell, question: NameQuestion): void {
	typeName.open(shell, {...question, text: lineText()});
}

type Names = Pick<NameQuestion, 'name' | 'other'>;

/** The names to type, `laptop or key_0a1B2c3D4e5F`, or the only one. */
const nameWords = ({name, other}: Names): Safe =>
	other === undefined || other === name
		? escapeLine(name)
		: safe`${escapeLine(name)} or ${escapeLine(other)}`;

/** Whether `typed` is one of the accepted names. */
const isName = ({name, other}: Names, typed: string): boolean =>
	typed.trim() === name.trim() || (other !== undefined && typed.trim() === other);

const typing = lineDialog<AskedLine & NameQuestion>(
	({title}) => titled(title),
	({lines, act, ...names}, width) => [
		...lines.flatMap(words => told(words, width)),
		blankLine,
		...told(safe`Type ${nameWords(names)} and press Enter to ${act}.`, width, 'quiet'),
	],
);

export const typeNameDialog = defineDialog(typeName, {
	title: 'Typing a name',
	...typing,
	line: {...typing.line, mustBeTyped: () => true},
	commands: [
		onKeys(['type-name.do', 'enter'], literal('do it'), {
			changes: true,
			run(shell) {
				const question = typeName.now(shell);
				if (question && isName(question, question.text.value)) {
					close(shell);
					question.run();
				} else {
					const problem = literal('That is not the name: nothing was done');
					typeName.change(shell, now => ({...now, problem}));
				}
			},
		}),
		closing('type-name', ['esc', 'ctrl+c'], literal('leave it')),
	],
});
