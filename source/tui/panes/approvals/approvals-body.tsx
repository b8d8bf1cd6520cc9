import {useCallback} from 'react';
import type {ApprovalEntry} from '../../../core/filter/approval-vocabulary.ts';
import {entryKey} from '../../entries/approval-entry.ts';
import {entryList} from '../../entries/entry-list.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {approvalColumns, approvalHeader, entryHeading, entryRow} from './approval-columns.ts';

/** What waits, the rules, and what was decided: one list with a heading for each. */
export function ApprovalsBody({width, height}: RegionProps) {
	const {list, feed} = useShell();
	const entries = list(entryList);
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(entry: ApprovalEntry, isSelected: boolean) =>
			entryRow(entry, {columns: approvalColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	return (
		<ListRows
			list={entries}
			keyOf={entryKey}
			rowOf={rowOf}
			headingOf={entryHeading}
			header={line(approvalHeader(approvalColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={entries} width={width} height={height} />}
		/>
	);
}
