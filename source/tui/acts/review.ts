import {entryList} from '../entries/entry-list.ts';
import type {Shell} from '../shell/shell.ts';
import {openPane} from './navigate.ts';
import {openSheet} from './sheet.ts';

/** Opens what waits: the request that the open pane has selected, else the oldest; the pane of approvals where nothing waits. */
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
