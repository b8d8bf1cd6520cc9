import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';

/** Copies, and says which way it went: a person has to know where to paste from. */
export async function copyText(shell: Shell, text: string, what: Safe): Promise<void> {
	const message = await shell.desktop.copy(text);
	shell.toast(safe`${what}: ${message}`, 'good');
}

/** Copies what there is to copy. */
export const copying =
	(what: Safe, textOf: (shell: Shell) => Promise<string> | string | undefined) =>
	(shell: Shell): void =>
		shell.attempt(async () => {
			const text = await textOf(shell);
			if (text !== undefined) {
				await copyText(shell, text, what);
			}
		});
