import {
	editLine,
	insertText,
	lineText,
	shownLine,
	type LineText,
} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type PaneCommand} from '../acts/command.ts';
import type {Line} from '../lines/line.ts';
import type {PaneSection} from '../panes/pane.ts';
import type {Shell} from '../shell/shell.ts';
import {changeEditor, type EditorState} from './editor-state.ts';
import {allFieldsOf, keyOf} from './route-form.ts';
import {settingOf} from './settings.ts';

/** Keys of the fields whose key or label contains the text. */
function found(state: EditorState): readonly string[] {
	const text = state.find?.value.trim().toLowerCase() ?? '';
	return text === ''
		? []
		: allFieldsOf(state)
				.filter(field =>
					[keyOf(field), settingOf(field).label].some(name => name.toLowerCase().includes(text)),
				)
				.map(keyOf);
}

/** Selects a matching field: the current one if it matches, else the next, wrapping around. A folded field is shown while selected. */
function atFound(state: EditorState, step: -1 | 0 | 1 = 0): EditorState {
	const all = allFieldsOf(state).map(keyOf);
	const at = found(state);
	const here = all.indexOf(state.place.key);
	const key =
		step < 0
			? (at.findLast(one => all.indexOf(one) < here) ?? at.at(-1))
			: (at.find(one => all.indexOf(one) >= here + step) ?? at[0]);
	return key === undefined ? state : {...state, place: {key, option: 0}};
}

const changeFind = (shell: Shell, update: (text: LineText) => LineText | undefined): void =>
	changeEditor(shell, state => {
		const find = state.find && update(state.find);
		return find ? atFound({...state, find}) : state;
	});

/** The text being searched for. */
export const typingFind: NonNullable<PaneSection['typing']> = {
	key: (shell, key) => changeFind(shell, text => editLine(text, key)),
	paste: (shell, pasted) => changeFind(shell, text => insertText(text, pasted)),
};

/** Starts a search for a field. */
export const findAct: PaneCommand = onKeys(['editor.find', '/'], literal('find a field'), {
	quiet: true,
	run: shell => changeEditor(shell, state => ({...state, find: lineText()})),
});

const step = (by: -1 | 1) => (shell: Shell) => changeEditor(shell, state => atFound(state, by));

/** Keys while a field is searched for. */
export const findFieldCommands: readonly PaneCommand[] = [
	onKeys(['editor-find.done', 'enter', 'esc', 'ctrl+c'], literal('stay at it'), {
		run: shell => changeEditor(shell, state => ({...state, find: undefined})),
	}),
	onKeys(['editor-find.next', 'down', 'ctrl+n', 'tab'], literal('next field with it'), {
		run: step(1),
	}),
	onKeys(['editor-find.previous', 'up', 'ctrl+p', 'shift+tab'], literal('previous field with it'), {
		run: step(-1),
	}),
];

/** The search text and the number of matches; `undefined` while not searching. */
export function findLine(state: EditorState, width: number): Line | undefined {
	const {find} = state;
	if (!find) {
		return undefined;
	}

	const {length} = found(state);
	const typed = find.value.trim() !== '';
	return [
		{text: literal('/ '), tone: 'accent'},
		{text: shownLine(find, {width: Math.max(8, width - 30)})},
		{
			text: !typed
				? literal('  part of the name of a field')
				: length === 0
					? literal('  no field is called so')
					: safe`  ${length} ${length === 1 ? literal('field') : literal('fields')}`,
			tone: typed && length === 0 ? 'warn' : 'quiet',
		},
	];
}
