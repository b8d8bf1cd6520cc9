import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';

/** Copies, and says which way it went: a person has to know where to paste from. */
export async function copyText(shell: Shell, text: string, what: Safe): Promise<void> {
	const message = await shell.desktop.copy(text);
	shell.toast(safe`${what}: ${message}`, 'good');
}
