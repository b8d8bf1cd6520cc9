import type {Host, Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {Jump} from '../state/view.ts';

/** Filters a list until the jump to it ends. */
export function setTemporaryFilter(shell: Shell, list: AnyList, text: string): void {
	list.setFilter(text);
	shell.view.set(state =>
		state.jump && shell.list(state.jump.list) === list
			? {...state, jump: {...state.jump, since: text}}
			: state,
	);
}

/** Whether the open pane's list still has the filter that the jump set. */
export const isTemporary = ({list}: Host, jump: Jump): boolean =>
	list(jump.list).get().filterText === jump.since;

/** Filters to save between sessions: temporary ones are replaced by those before the jump. */
export function lastingFilters(shell: Host) {
	const {jump} = shell.view.get();
	return jump && isTemporary(shell, jump)
		? {...shell.filters(), [jump.list.id]: jump.before}
		: shell.filters();
}
