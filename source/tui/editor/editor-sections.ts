import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import type {PaneSection} from '../panes/pane.ts';
import type {Host} from '../shell/shell.ts';
import {completionsOf} from './completions.ts';
import {pasteInField, typeInField} from './edit-field.ts';
import {completionCommands, editorCommands, textCommands} from './editor-commands.ts';
import {editorNow} from './editor-state.ts';
import {findCommands, pasteInFind, typeInFind} from './find-field.ts';
import {conflictCommands, diffCommands, savedCommands} from './step-commands.ts';

/** A part of the form; its keys hold, and the palette offers them, while it has the keyboard of the form. */
const section = (
	part: string,
	commands: readonly PaneCommand[],
	{title, typing}: {readonly title: Safe; readonly typing?: PaneSection['typing']},
): PaneSection => {
	const id = `editor${part}`;
	return {
		id,
		title,
		commands: commands.map(({when, ...command}) => ({
			...command,
			when: shell => editorSection(shell)?.id === id && when?.(shell) !== false,
		})),
		listing: undefined,
		...(typing && {typing}),
	};
};

const typing = {key: typeInField, paste: pasteInField};

const sections = {
	form: section('', editorCommands, {title: literal('Route form')}),
	find: section('-find', findCommands, {
		title: literal('Route form, looking for a field'),
		typing: {key: typeInFind, paste: pasteInFind},
	}),
	text: section('-text', textCommands, {title: literal('Route form, while typing'), typing}),
	completion: section('-completion', completionCommands, {
		title: literal('Route form, completing a word'),
		typing,
	}),
	diff: section('-diff', diffCommands, {title: literal('Route form, before saving')}),
	conflict: section('-conflict', conflictCommands, {
		title: literal('Route form, changed by somebody else'),
	}),
	saved: section('-saved', savedCommands, {title: literal('Route form, after saving')}),
};

/** The parts of the form of a route that have keys of their own. */
export const editorSections: readonly PaneSection[] = Object.values(sections);

/** The one that has the keyboard; `undefined` while no route is edited. */
export function editorSection(host: Pick<Host, 'local'>): PaneSection | undefined {
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
