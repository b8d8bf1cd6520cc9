import {useCallback, useState} from 'react';
import type {RouteView} from '../../../core/config-view.ts';
import {createMemory} from '../../../core/derive.ts';
import {EditorBody} from '../../editor/editor-body.tsx';
import {editorNow} from '../../editor/editor-state.ts';
import {routeColumns, routeHeader, routeRow} from '../../entries/route-columns.ts';
import {routeKey, routeList} from '../../entries/route-list.ts';
import {
	loadedCounts,
	trafficKey,
	trafficOf,
	type RoutesTraffic,
	type RouteTraffic,
} from '../../entries/route-traffic.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';

/** The routes, one row each; in their place the form of one that is edited. */
export function SubsBody({width, height}: RegionProps) {
	const shell = useShell();
	const edited = useStore(shell.view, () => editorNow(shell));
	const routes = shell.list(routeList);
	const rowOf = useCallback(
		(route: RouteView, isSelected: boolean, traffic: RouteTraffic | undefined) =>
			routeRow(route, {columns: routeColumns(width), traffic}, isSelected),
		[width],
	);
	const [count] = useState(() => createMemory<RoutesTraffic>());
	const {state, now} = useStore(shell.feed, snapshot => snapshot);
	const loads = shell.loader(loadedCounts);
	const counts = useStore(loads, () => loads.last()?.value);
	if (edited) {
		return <EditorBody state={edited} width={width} height={height} />;
	}

	const {byRoute} = count([state.deliveries, Math.floor(now / 60_000), counts], () =>
		trafficOf(state.deliveries, {now, counts}),
	);
	return (
		<ListRows
			list={routes}
			keyOf={routeKey}
			rowOf={rowOf}
			besideOf={route => byRoute.get(trafficKey(route))}
			header={line(routeHeader(routeColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={routes} width={width} height={height} />}
		/>
	);
}
