import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {change} from '../commands/navigate.ts';
import {clean} from '../panes/line.ts';
import {hintsLine} from '../shell/hints-line.ts';
import {useStore} from '../state/use-store.ts';
import {FieldRow} from './field-row.tsx';
import {LineRow} from './line-row.tsx';
import {useShell} from './shell-context.ts';
import {usePane} from './use-pane.ts';

/** The text field that has the keyboard, else a toast, else the keys that matter here. */
export function LastRow({width}: {readonly width: number}) {
	const shell = useShell();
	const {view} = usePane();
	const {overlay, field, toast} = view;
	// Whether a payload was kept decides what can be done with it.
	useStore(shell.loads, count => count);
	if (overlay?.kind === 'help' && overlay.isSearching) {
		return (
			<FieldRow
				label={literal('search ')}
				value={overlay.query}
				note={empty}
				width={width}
				onChange={query => {
					change(shell, {overlay: {...overlay, query}});
				}}
			/>
		);
	}

	if (field === 'search') {
		return (
			<FieldRow
				label={literal('search ')}
				value={view.search}
				note={literal('enter, then n N')}
				width={width}
				onChange={search => {
					change(shell, {search});
				}}
			/>
		);
	}

	const list = shell.openList();
	if (field === 'filter' && list) {
		return <FilterField value={list.get().filterText} width={width} />;
	}

	return (
		<LineRow
			row={toast ? [{text: safe` ${toast.text}`, tone: toast.tone}] : hintsLine(shell, width)}
			width={width}
		/>
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
			note={problem === undefined ? literal('esc clears') : safe`✗ ${clean(problem)}`}
			width={width}
			onChange={text => {
				list?.setFilter(text);
			}}
		/>
	);
}
