import {clearMarks} from '../lines/marks.ts';
import type {Shell} from '../shell/shell.ts';
import type {ListSource} from '../state/source.ts';
import {detailStart, type Jump} from '../state/view.ts';
import {openPane} from './navigate.ts';
import {isTemporary} from './temporary-filter.ts';

/** Opens a pane at something of another one: Esc leads back there, and what the list is filtered by for that alone ends with the visit. */
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
		// After the pane was left: it may have had the same list with a filter of its own.
		const before = shell.list(source).get().filterText;
		shell.view.set(state => ({...state, jump: {pane, from, list: source, before, since: before}}));
	}
}

/** One step back to where the last jump began. */
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
