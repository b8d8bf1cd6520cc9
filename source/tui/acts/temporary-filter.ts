import type {Host, Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {Jump} from '../state/view.ts';

/** Filters a list for as long as the jump to it lasts. */
export function setTemporaryFilter(shell: Shell, list: AnyList, text: string): void {
	list.setFilter(text);
	shell.view.set(state =>
		state.jump && shell.list(state.jump.list) === list
			? {...state, jump: {...state.jump, since: text}}
			: state,
	);
}

/** Whether the list of the open pane is filtered as the jump to it left it. */
export const isTemporary = ({list}: Host, jump: Jump): boolean =>
	list(jump.list).get().filterText === jump.since;

/** Filters as they are without what was lent; to be kept from one run to the next. */
export function lastingFilters(shell: Host) {
	const {jump} = shell.view.get();
	return jump && isTemporary(shell, jump)
		? {...shell.filters(), [jump.list.id]: jump.before}
		: shell.filters();
}
