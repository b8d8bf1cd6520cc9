import {useCallback, useState} from 'react';
import type {DeliveryRow} from '../../../core/state.ts';
import type {RunWord} from '../../../nouns/run/run-word.ts';
import {deliveryList} from '../../entries/delivery-list.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {deliveryMarks} from './bulk-replay.ts';
import {trafficColumns, trafficHeader, trafficRow} from './traffic-columns.ts';
import {createWorkWords} from './work-word.ts';

/** The deliveries, one row each; a flood is one row. */
export function TrafficBody({width, height}: RegionProps) {
	const {list, feed, view, local} = useShell();
	const deliveries = list(deliveryList);
	const marked = useStore(view, () => local(deliveryMarks).get());
	const [workOf] = useState(createWorkWords);
	const {state} = useStore(feed, now => now);
	const rowOf = useCallback(
		(row: DeliveryRow, isSelected: boolean, work: RunWord | undefined) =>
			trafficRow(
				row,
				{columns: trafficColumns(width), isMarked: marked.has(row.key), work},
				isSelected,
			),
		[width, marked],
	);
	return (
		<ListRows
			list={deliveries}
			keyOf={row => row.key}
			rowOf={rowOf}
			besideOf={({delivery}) => workOf(delivery, state)}
			header={line(trafficHeader(trafficColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={deliveries} width={width} height={height} />}
		/>
	);
}
