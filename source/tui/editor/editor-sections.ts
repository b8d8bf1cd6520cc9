import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys, type PaneCommand} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {scrolling} from '../acts/dialog.ts';
import {saveKeys} from '../forms/form-keys.ts';
import type {PaneSection} from '../panes/pane.ts';
import type {Host, Shell} from '../shell/shell.ts';
import {completionsOf, typingField} from './edit-field.ts';
import {completionCommands, editorCommands, textCommands} from './editor-commands.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {findFieldCommands, typingFind} from './find-field.ts';
import {closeEditor} from './refresh.ts';
import {backToForm, save} from './save-draft.ts';
import {planLines} from './step-lines.ts';

function scrollDiff(shell: Shell, rows: number): void {
	const {columns} = shell.view.get().size;
	const {bodyHeight} = shell.layout();
	changeEditor(shell, state => {
		const {step} = state;
		if (step.kind !== 'diff') {
			return state;
		}

		const most = planLines(step.plan, columns).length - bodyHeight;
		return {...state, step: {...step, top: Math.max(0, Math.min(step.top + rows, most))}};
	});
}

/** Keys of the diff before saving. */
const diffCommands: readonly PaneCommand[] = [
	onKeys(['editor-diff.save', ...saveKeys], literal('save it'), {changes: true, run: save}),
	onKeys(['editor-diff.back', 'esc'], literal('back to the form'), {run: backToForm}),
	...scrolling('editor-diff', scrollDiff, {
		names: ['down', 'up'],
		more: name => ({quiet: name === 'up'}),
	}),
];

const telling = (of: 'secret' | 'url' | 'curl', key: string, label: Safe): PaneCommand => {
	const textOf = (shell: Shell) => {
		const step = editorNow(shell)?.step;
		return step?.kind === 'saved' ? step.saved[of] : undefined;
	};

	return onKeys([`editor-saved.${of}`, key], label, {
		when: shell => textOf(shell) !== undefined,
		run: copying(label, textOf),
	});
};

/** Keys of a save's result, which is shown once. */
const savedCommands: readonly PaneCommand[] = [
	telling('secret', 's', literal('copy the secret')),
	telling('url', 'y', literal('copy the URL')),
	telling('curl', 'c', literal('copy the curl line')),
	onKeys(['editor-saved.close', 'enter', 'esc'], literal('done'), {run: closeEditor}),
];

/** A section of the form; its keys hold, and the palette lists them, while it is focused. */
const section = (
	part: string,
	commands: readonly PaneCommand[],
	rest: Pick<PaneSection, 'title' | 'typing'>,
): PaneSection => {
	const id = `editor${part}`;
	return {
		...rest,
		id,
		commands: commands.map(({when, ...command}) => ({
			...command,
			when: shell => editorSection(shell)?.id === id && when?.(shell) !== false,
		})),
	};
};

const sections = {
	form: section('', editorCommands, {title: literal('Route form')}),
	find: section('-find', findFieldCommands, {
		title: literal('Route form, looking for a field'),
		typing: typingFind,
	}),
	text: section('-text', textCommands, {
		title: literal('Route form, while typing'),
		typing: typingField,
	}),
	completion: section('-completion', completionCommands, {
		title: literal('Route form, completing a word'),
		typing: typingField,
	}),
	diff: section('-diff', diffCommands, {title: literal('Route form, before saving')}),
	saved: section('-saved', savedCommands, {title: literal('Route form, after saving')}),
};

/** The sections of the route's form, each with its own keys. */
export const editorSections: readonly PaneSection[] = Object.values(sections);

/** The focused section; `undefined` while no route is edited. */
export function editorSection(host: Host): PaneSection | undefined {
	const state = editorNow(host);
	if (!state) {
		return undefined;
	}

	const {step, place, find} = state;
	if (step.kind !== 'form') {
		return sections[step.kind];
	}

	if (!place.editing) {
		return find ? sections.find : sections.form;
	}

	return completionsOf(state).length > 0 ? sections.completion : sections.text;
}
