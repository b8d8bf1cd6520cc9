import {useCallback} from 'react';
import {
	approvalColumns,
	approvalHeader,
	entryHeading,
	entryRow,
} from '../approvals/approval-columns.ts';
import {entryKey, type ApprovalEntry} from '../approvals/approval-entry.ts';
import {line} from '../panes/line.ts';
import {useStore} from '../state/use-store.ts';
import {Empty} from './empty.tsx';
import {ListRows} from './list-rows.tsx';
import {useShell} from './shell-context.ts';

/** What waits, the rules, and what was decided: one list with a heading for each. */
export function ApprovalList({width, height}: {readonly width: number; readonly height: number}) {
	const {lists, feed} = useShell();
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(entry: ApprovalEntry, isSelected: boolean) =>
			entryRow(entry, {columns: approvalColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	const isFiltered = lists.approvals.get().total > 0;
	return (
		<ListRows
			list={lists.approvals}
			keyOf={entryKey}
			rowOf={rowOf}
			headingOf={entryHeading}
			header={line(approvalHeader(approvalColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<Empty pane="approvals" isFiltered={isFiltered} width={width} height={height} />}
		/>
	);
}
