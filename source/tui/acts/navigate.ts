import {literal} from '../../terminal/text/safe.ts';
import {pathOf, cursorIn} from '../lines/detail-cursor.ts';
import {rowHolds} from '../lines/detail.ts';
import {type ListMove, rowsMoved} from '../list/window.ts';
import type {Shell} from '../shell/shell.ts';
import {detailStart, type ViewState} from '../state/view.ts';
import {isTemporary} from './temporary-filter.ts';

type Move = Extract<ListMove, string>;

/** The first visible row of a detail, clamped so that the last page is full. */
const detailTop = (wanted: number, rows: number, height: number): number =>
	Math.max(0, Math.min(wanted, rows - height));

/** Moves in the list, or scrolls the detail when that is focused. */
export function move(shell: Shell, by: Move): void {
	if (shell.view.get().region === 'list') {
		if (shell.pane().focus?.cross?.(shell, by) !== true) {
			shell.openList()?.move(by);
		}

		shell.view.set(state =>
			state.detailTop === 0 && state.detailCursor === 0 ? state : {...state, ...detailStart},
		);
		return;
	}

	const height = shell.layout().bodyHeight;
	const rows = shell.detail.lines();
	const step = rowsMoved(by, height);
	if (shell.section().listing?.hasCursor === true) {
		moveCursor(shell, cursorIn(rows, shell.view.get()).cursor + step);
		return;
	}

	shell.view.set(state => ({
		...state,
		detailTop: detailTop(state.detailTop + step, rows.length, height),
	}));
}

/** Selects a row of the detail, and scrolls just far enough to show it. */
export function moveCursor(shell: Shell, wanted: number): void {
	const height = shell.layout().bodyHeight;
	const rows = shell.detail.lines();
	const cursor = Math.max(0, Math.min(wanted, rows.length - 1));
	shell.view.set(state => {
		const {top} = cursorIn(rows, state);
		return {
			...state,
			detailCursor: cursor,
			detailPath: pathOf(rows[cursor]),
			detailTop: detailTop(
				Math.max(cursor - height + 1, Math.min(top, cursor)),
				rows.length,
				height,
			),
		};
	});
}

/** Opens the pane with this id, its list focused. */
export function openPane(shell: Shell, id: string): void {
	const pane = shell.panes.find(other => other.id === id);
	if (!pane) {
		throw new Error(`There is no pane "${id}"`);
	}

	const {jump} = shell.view.get();
	const isOver = jump !== undefined && jump.pane !== id;
	if (isOver && isTemporary(shell, jump)) {
		shell.list(jump.list).setFilter(jump.before);
	}

	shell.view.set(state => ({
		...state,
		pane: id,
		region: 'list',
		...(isOver && {jump: undefined}),
		isZoomed: false,
		field: undefined,
		search: '',
		...detailStart,
	}));
	pane.focus?.hold?.(shell);
}

/** Focuses the detail and stops the list from following: what is read must not change under the reader. */
export function openDetail(shell: Shell): void {
	const list = shell.openList();
	if (!list || list.get().window.cursor === -1) {
		return;
	}

	list.move('pause');
	shell.view.set(state => ({...state, region: 'detail'}));
}

/** Moves to the next or previous row that matches the search; in a list every row does. */
export function nextMatch(shell: Shell, step: 1 | -1): void {
	const view = shell.view.get();
	const {region, search} = view;
	if (region === 'list') {
		move(shell, step === 1 ? 'down' : 'up');
		return;
	}

	const wanted = search.toLowerCase();
	const lines = shell.detail.lines();
	const from =
		shell.section().listing?.hasCursor === true ? cursorIn(lines, view).cursor : view.detailTop;
	if (wanted === '') {
		shell.toast(literal('Nothing is searched for: / starts a search'));
		return;
	}

	const {length} = lines;
	const others = lines
		.keys()
		.drop(1)
		.map(far => (((from + step * far) % length) + length) % length);
	const index = others.find(at => rowHolds(lines[at] ?? [], wanted));
	if (index === undefined) {
		shell.toast(literal('No further match'));
		return;
	}

	change(shell, {detailTop: index, detailCursor: index, detailPath: pathOf(lines[index])});
	if (step === 1 ? index < from : index > from) {
		shell.toast(step === 1 ? literal('On from the first row') : literal('On from the last row'));
	}
}

/** Changes the view. */
export const change = (shell: Shell, part: Partial<ViewState>): void =>
	shell.view.set(state => ({...state, ...part}));
