import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';

/** Copies, and shows how (clipboard, file, …): the person has to know where to paste from. */
export async function copyText(shell: Shell, text: string, what: Safe): Promise<void> {
	const message = await shell.desktop.copy(text);
	shell.toast(safe`${what}: ${message}`, 'good');
}

/** Copies the text, if there is any. */
export const copying =
	(what: Safe, textOf: (shell: Shell) => Promise<string> | string | undefined) =>
	(shell: Shell): void =>
		shell.attempt(async () => {
			const text = await textOf(shell);
			if (text !== undefined) {
				await copyText(shell, text, what);
			}
		});
