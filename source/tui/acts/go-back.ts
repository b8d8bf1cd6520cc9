import {clearMarks} from '../lines/marks.ts';
import type {Shell} from '../shell/shell.ts';
import {detailStart} from '../state/view.ts';
import {comeBack} from './jump.ts';
import {isTemporary} from './temporary-filter.ts';

/** One level back: search, detail, marks, zoom, filter, then to the pane that a key led here from. Never out of the program. */
export function goBack(shell: Shell): void {
	const {view} = shell;
	const state = view.get();
	const list = shell.openList();
	const {marks} = shell.section().listing ?? {};
	if (state.search !== '') {
		view.set(now => ({...now, search: ''}));
	} else if (state.region === 'detail') {
		view.set(now => ({...now, region: 'list', ...detailStart}));
	} else if (marks && shell.local(marks).get().size > 0) {
		clearMarks(shell, marks);
	} else if (state.isZoomed) {
		view.set(now => ({...now, isZoomed: false}));
	} else if (
		list &&
		list.get().filterText !== '' &&
		!(state.jump && isTemporary(shell, state.jump))
	) {
		list.setFilter('');
	} else if (state.jump) {
		comeBack(shell, state.jump);
	}
}
