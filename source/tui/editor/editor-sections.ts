import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneSection} from '../panes/pane.ts';
import type {Host} from '../shell/shell.ts';
import {completionsOf} from './completions.ts';
import {pasteInField, typeInField} from './edit-field.ts';
import {completionCommands, editorCommands, textCommands} from './editor-commands.ts';
import {editorNow} from './editor-state.ts';
import {findCommands, pasteInFind, typeInFind} from './find-field.ts';
import {conflictCommands, diffCommands, savedCommands} from './step-commands.ts';

const section = (
	id: string,
	title: Safe,
	{commands, typing}: Pick<PaneSection, 'commands' | 'typing'>,
): PaneSection => ({id, title, commands, listing: undefined, ...(typing && {typing})});

const typing = {key: typeInField, paste: pasteInField};

const sections = {
	form: section('editor', literal('Route form'), {commands: editorCommands}),
	find: section('editor-find', literal('Route form, looking for a field'), {
		commands: findCommands,
		typing: {key: typeInFind, paste: pasteInFind},
	}),
	text: section('editor-text', literal('Route form, while typing'), {
		commands: textCommands,
		typing,
	}),
	completion: section('editor-completion', literal('Route form, completing a word'), {
		commands: completionCommands,
		typing,
	}),
	diff: section('editor-diff', literal('Route form, before saving'), {commands: diffCommands}),
	conflict: section('editor-conflict', literal('Route form, changed by somebody else'), {
		commands: conflictCommands,
	}),
	saved: section('editor-saved', literal('Route form, after saving'), {commands: savedCommands}),
};

/** The parts of the form of a route that have keys of their own. */
export const editorSections: readonly PaneSection[] = Object.values(sections);

/** The one that has the keyboard; `undefined` while no route is edited. */
export function editorSection(host: Host): PaneSection | undefined {
	const state = editorNow(host);
	if (!state) {
		return undefined;
	}

	if (state.step.kind !== 'form') {
		return sections[state.step.kind];
	}

	if (!state.place.editing) {
		return state.find ? sections.find : sections.form;
	}

	return completionsOf(state).length > 0 ? sections.completion : sections.text;
}
