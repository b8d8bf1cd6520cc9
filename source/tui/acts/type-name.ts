import type {Safe} from '../../core/untrusted.ts';
import {lineText, type LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Command} from './command.ts';
import {change} from './navigate.ts';
import {changeOverlay, close, closing} from './overlay-state.ts';

/** Does `run` after a person has typed `name`: for what cannot be taken back. */
export function askForName(
	shell: Shell,
	question: {
		readonly title: Safe;
		readonly lines: readonly Safe[];
		readonly name: string;
		readonly other?: string;
		readonly act: Safe;
		readonly run: () => void;
	},
): void {
	change(shell, {overlay: {kind: 'type-name', ...question, text: lineText()}});
}

/** Changes the line that is typed; `false` where nobody asks for a name. */
export function changeTypedName(shell: Shell, update: (line: LineText) => LineText): boolean {
	if (shell.view.get().overlay?.kind !== 'type-name') {
		return false;
	}

	changeOverlay(shell, 'type-name', overlay => ({
		...overlay,
		text: update(overlay.text),
		isWrong: false,
	}));
	return true;
}

/** What has to be typed, `laptop or key_0a1B2c3D4e5F`; the name alone where nothing else will do. */
export const nameWords = ({name, other}: {readonly name: string; readonly other?: string}): Safe =>
	other === undefined || other === name ? clean(name) : safe`${clean(name)} or ${clean(other)}`;

/** Whether `typed` is what is asked for. */
export const isName = (
	{name, other}: {readonly name: string; readonly other?: string},
	typed: string,
): boolean => typed.trim() === name.trim() || (other !== undefined && typed.trim() === other);

/** Keys while a name is asked for. */
export const typeNameCommands: readonly Command[] = [
	{
		id: 'type-name.do',
		changes: true,
		scope: 'type-name',
		keys: ['enter'],
		label: literal('do it'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (overlay?.kind !== 'type-name') {
				return;
			}

			if (isName(overlay, overlay.text.value)) {
				close(shell);
				overlay.run();
			} else {
				changeOverlay(shell, 'type-name', now => ({...now, isWrong: true}));
			}
		},
	},
	closing('type-name', ['esc', 'ctrl+c'], literal('leave it')),
];
