import {literal, safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines} from './answer.ts';
import {askChat} from './ask-chat.ts';
import {askEditor} from './ask-editor.ts';
import {askOverlay} from './ask-overlay.ts';
import type {Asked} from './asked.ts';
import {choicesIn} from './choices.ts';

/** What is asked now in place of a command; `undefined` where a pane has the keyboard. */
export const askNow = (shell: Shell): Asked | undefined => askOverlay(shell) ?? askSection(shell);

/** A part of a pane that lists nothing asks for one of its acts. */
function askSection(shell: Shell): Asked | undefined {
	const section = shell.section();
	if (section.listing || shell.view.get().overlay) {
		return undefined;
	}

	const editing = askEditor(shell);
	if (editing && section.id.startsWith('editor')) {
		return editing;
	}

	if (section.id.startsWith('chat')) {
		return askChat(shell);
	}

	const choices = choicesIn(shell, section.id);
	return {
		of: ['section', section.id],
		prompt: literal('number'),
		choices,
		read(out) {
			out.read([safe`${section.title}.`, ...choiceLines(choices)]);
		},
	};
}
