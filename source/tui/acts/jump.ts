import {clearMarks} from '../lines/marks.ts';
import type {Shell} from '../shell/shell.ts';
import type {ListSource} from '../state/source.ts';
import {detailStart, type Jump} from '../state/view.ts';
import {openPane} from './navigate.ts';
import {isTemporary} from './temporary-filter.ts';

/** Opens a pane at something that another pane refers to. Esc returns, and a filter set only for the visit is removed then. */
export function jumpTo(
	shell: Shell,
	source: ListSource,
	{pane = source.id}: {readonly pane?: string} = {},
): void {
	const {pane: here, region, isZoomed, detailTop, detailCursor, detailPath} = shell.view.get();
	const list = shell.openList();
	const from: Jump['from'] = {
		view: {region, isZoomed, detailTop, detailCursor, detailPath},
		pane: here,
		section: shell.section().id,
		filter: list?.get().filterText ?? '',
		key: list?.selectedKey(),
	};
	openPane(shell, pane);
	if (here !== pane) {
		// Read after the first pane was left: it may have shown the same list under another filter.
		const before = shell.list(source).get().filterText;
		shell.view.set(state => ({...state, jump: {pane, from, list: source, before, since: before}}));
	}
}

/** Returns to where the last jump began. */
function comeBack(shell: Shell, {from}: Jump): void {
	openPane(shell, from.pane);
	const {focus, sections} = shell.pane();
	const section = sections.find(({id}) => id === from.section);
	if (section) {
		focus?.choose?.(shell, section);
	}

	const list = shell.openList();
	if (list && from.key !== undefined && !list.get().isFollowing && !list.select(from.key)) {
		list.setFilter(from.filter);
		list.select(from.key);
	}

	shell.view.set(state => ({...state, ...from.view}));
}

/** Goes back one level: search, detail, marks, zoom, filter, then the pane that a jump came from. Never leaves the program. */
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
