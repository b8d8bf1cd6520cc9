import {Box} from 'ink';
import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {dialogNow, isPage, type BoxField} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {type Line} from '../lines/line.ts';
import {hintsLine} from '../shell/hints-line.ts';
import type {Shell} from '../shell/shell.ts';
import {besideKeys, toastRows} from '../shell/toast.ts';
import {FieldRow} from '../view/field-row.tsx';
import {LineBlock, LineRow} from '../view/line-block.tsx';
import {useStore, useShell, usePane} from '../view/shell-context.ts';

/** The focused text field, else the keys that matter here. */
export function LastRow({width}: {readonly width: number}) {
	const shell = useShell();
	const {view} = usePane();
	const {field} = view;
	// What can be done depends on whether a payload is stored.
	useStore(shell.loads, count => count);
	const ofDialog = dialogField(shell);
	if (ofDialog) {
		return <FieldRow label={literal('search ')} {...ofDialog} width={width} />;
	}

	if (field === 'search') {
		return (
			<FieldRow
				label={literal('search ')}
				value={view.search}
				note={literal('enter, then n N')}
				width={width}
				onChange={search => change(shell, {search})}
			/>
		);
	}

	const list = shell.openList();
	if (field === 'filter' && list) {
		return <FilterField value={list.get().filterText} width={width} />;
	}

	return <LineRow row={keysRow(shell, width)} width={width} />;
}

/** The open dialog's text field, if it is in the last row. */
function dialogField(shell: Shell): BoxField | undefined {
	const {dialog, state} = dialogNow(shell) ?? {};
	return state && dialog?.lastRow?.(state, shell);
}

/**
 * The keys that matter here, with a toast beside them if it fits. On a page a toast replaces this row: the page names its keys itself, and its rows count as seen,
 * so none may be covered.
 */
function keysRow(shell: Shell, width: number): Line {
	const {toast} = shell.view.get();
	if (toast && isPage(shell)) {
		return [{text: safe` ${toast.text}`, tone: toast.tone}];
	}

	const keys = hintsLine(shell, width);
	return (toast && besideKeys(keys, toast, width)) ?? keys;
}

/** A toast that does not fit beside the keys, in the rows above them. */
export function ToastRows({width, bottom}: {readonly width: number; readonly bottom: number}) {
	const shell = useShell();
	const {toast, field} = usePane().view;
	useStore(shell.loads, count => count);
	if (!toast || isPage(shell)) {
		return;
	}

	const isTyping = field !== undefined || dialogField(shell) !== undefined;
	if (!isTyping && besideKeys(hintsLine(shell, width), toast, width)) {
		return;
	}

	const rows = toastRows(toast, width);
	return (
		<Box position="absolute" top={bottom - rows.length} width={width} height={rows.length}>
			<LineBlock rows={rows} top={0} width={width} height={rows.length} />
		</Box>
	);
}

function FilterField({value, width}: {readonly value: string; readonly width: number}) {
	const shell = useShell();
	usePane();
	const list = shell.openList();
	const problem = list?.get().filter.problem;
	return (
		<FieldRow
			label={literal('/ ')}
			value={value}
			note={problem === undefined ? literal('esc clears') : safe`✗ ${escapeLine(problem)}`}
			width={width}
			onChange={text => list?.setFilter(text)}
		/>
	);
}
