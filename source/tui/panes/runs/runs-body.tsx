import {useCallback, useMemo} from 'react';
import type {Run} from '../../../core/run.ts';
import {runList} from '../../entries/run-list.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {runMarks} from './bulk.ts';
import {runColumns, runHeader, runNeeds, runRow} from './run-columns.ts';

/** The runs, one row each. */
export function RunsBody({width, height}: RegionProps) {
	const {list, feed, view, local} = useShell();
	const runs = list(runList);
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const approvals = useStore(feed, ({state}) => state.approvals);
	const marked = useStore(view, () => local(runMarks).get());
	useStore(runs, shown => shown);
	const {id, state, took} = runNeeds(runs.shown(), second * 1000);
	// The same value while nobody needs more: else every row would be made anew.
	const columns = useMemo(() => runColumns(width, {id, state, took}), [width, id, state, took]);
	const rowOf = useCallback(
		(run: Run, isSelected: boolean) =>
			runRow(
				run,
				{
					columns,
					now: second * 1000,
					approval: approvals.find(approval => approval.run === run.id),
					isMarked: marked.has(String(run.id)),
				},
				isSelected,
			),
		[columns, second, approvals, marked],
	);
	return (
		<ListRows
			list={runs}
			keyOf={run => String(run.id)}
			rowOf={rowOf}
			header={line(runHeader(columns), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={runs} width={width} height={height} />}
		/>
	);
}
