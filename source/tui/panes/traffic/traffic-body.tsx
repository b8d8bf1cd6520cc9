import {useCallback} from 'react';
import type {DeliveryRow} from '../../../core/state.ts';
import {useStore} from '../../state/use-store.ts';
import {Empty} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {line} from '../line.ts';
import {deliveryMarks} from './bulk-replay.ts';
import {deliveryList} from './delivery-list.ts';
import {trafficColumns, trafficHeader, trafficRow} from './traffic-columns.ts';

/** The deliveries, one row each; a flood is one row. */
export function TrafficBody({width, height}: RegionProps) {
	const {list, view, local} = useShell();
	const deliveries = list(deliveryList);
	const marked = useStore(view, () => local(deliveryMarks).get());
	const rowOf = useCallback(
		(row: DeliveryRow, isSelected: boolean) =>
			trafficRow(row, {columns: trafficColumns(width), isMarked: marked.has(row.key)}, isSelected),
		[width, marked],
	);
	return (
		<ListRows
			list={deliveries}
			keyOf={row => row.key}
			rowOf={rowOf}
			header={line(trafficHeader(trafficColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<Empty isFiltered={deliveries.get().total > 0} width={width} height={height} />}
		/>
	);
}
