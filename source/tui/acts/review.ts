import {entryList} from '../entries/entry-list.ts';
import type {Shell} from '../shell/shell.ts';
import {openPane} from './navigate.ts';
import {openSheet} from './sheet.ts';

/** Opens the request that the open pane has selected, and comes back to the pane once it is answered; what waits one after the other where it has none. */
export function reviewOne(shell: Shell): void {
	const chosen = shell.pane().waiting?.(shell);
	const waiting = shell.port.getState().approvals.find(({id}) => id === chosen?.id);
	if (waiting) {
		openSheet(shell, waiting, waiting.id);
	} else {
		review(shell);
	}
}

/** Opens what waits, one after the other: the request that the open pane has selected, else the oldest; the pane of approvals where nothing waits. */
export function review(shell: Shell): void {
	const {approvals} = shell.port.getState();
	const chosen = shell.pane().waiting?.(shell);
	const next = approvals.find(({id}) => id === chosen?.id) ?? approvals[0];
	if (next) {
		openSheet(shell, next);
	} else {
		openPane(shell, entryList.id);
	}
}
