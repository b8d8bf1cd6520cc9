import type {Command} from '../acts/command.ts';
import {scopesNow} from '../commands/scopes.ts';
import {commandOf, router} from '../commands/table.ts';
import {isDirty} from '../editor/draft.ts';
import {editorNow} from '../editor/editor-state.ts';
import {waitingLogins} from '../entries/login-entry.ts';
import type {Shell} from '../shell/shell.ts';

/** Whether leaving now would end something, or leave somebody without an answer. */
export async function isPending(shell: Shell): Promise<boolean> {
	const {port} = shell;
	const draft = editorNow(shell)?.draft;
	if (waitingLogins(shell.logins.attempts()).length > 0 || (draft && isDirty(draft))) {
		return true;
	}

	if (!port.embedded) {
		return false;
	}

	const {activeRuns, queuedRuns, pendingGroups} = await port.stopConsequences();
	return activeRuns + queuedRuns + pendingGroups + port.getState().approvals.length > 0;
}

/** What Ctrl-C does on the screen: it leaves what is asked, else it asks about leaving. */
export function cancelling(shell: Shell): Command | undefined {
	const binding = router.route({id: 'ctrl+c', text: ''}, scopesNow(shell));
	return binding && commandOf(binding.id);
}
