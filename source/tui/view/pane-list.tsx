import {useCallback} from 'react';
import {own, ui} from '../../terminal/text/safe.ts';
import {ApprovalList} from '../panes/approvals/approval-list.tsx';
import {GroupsPane} from '../panes/groups/groups-body.tsx';
import {line, type Line} from '../panes/line.ts';
import type {LogRow} from '../panes/logs/log-row.ts';
import {runColumns, runHeader, runRow} from '../panes/runs/run-columns.ts';
import {routeColumns, routeHeader, routeRow} from '../panes/subs/route-columns.ts';
import {routeKey} from '../panes/subs/route-key.ts';
import {ServerList} from '../panes/tools/server-list.tsx';
import {trafficColumns, trafficHeader, trafficRow} from '../panes/traffic/traffic-columns.ts';
import {useStore} from '../state/use-store.ts';
import type {PaneId} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';
import {Empty} from './empty.tsx';
import {ListRows} from './list-rows.tsx';
import {useShell} from './shell-context.ts';

export type RegionProps = {readonly width: number; readonly height: number};

/** The list of a pane, or what the pane says instead. */
export function PaneList({pane, width, height}: RegionProps & {readonly pane: PaneId}) {
	switch (pane) {
		case 'traffic':
			return <TrafficList width={width} height={height} />;
		case 'runs':
			return <RunList width={width} height={height} />;
		case 'logs':
			return <LogList width={width} height={height} />;
		case 'subs':
			return <RouteList width={width} height={height} />;
		case 'groups':
			return <GroupsPane width={width} height={height} />;
		case 'tools':
			return <ServerList width={width} height={height} />;
		case 'approvals':
			return <ApprovalList width={width} height={height} />;
		case 'logins':
			return <Empty pane={pane} isFiltered={false} width={width} height={height} />;
	}
}

function TrafficList({width, height}: RegionProps) {
	const {lists} = useShell();
	const columns = trafficColumns(width);
	const rowOf = useCallback(
		(row: Parameters<typeof trafficRow>[0], isSelected: boolean) =>
			trafficRow(row, trafficColumns(width), isSelected),
		[width],
	);
	return (
		<ListRows
			list={lists.traffic}
			keyOf={row => row.key}
			rowOf={rowOf}
			header={line(trafficHeader(columns), 'quiet')}
			width={width}
			height={height}
			whenEmpty={
				<Empty
					pane="traffic"
					isFiltered={lists.traffic.get().total > 0}
					width={width}
					height={height}
				/>
			}
		/>
	);
}

function RunList({width, height}: RegionProps) {
	const {lists, feed} = useShell();
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const approvals = useStore(feed, ({state}) => state.approvals);
	const rowOf = useCallback(
		(run: Parameters<typeof runRow>[0], isSelected: boolean) =>
			runRow(
				run,
				{
					columns: runColumns(width),
					now: second * 1000,
					approval: approvals.find(approval => approval.run === run.id),
				},
				isSelected,
			),
		[width, second, approvals],
	);
	return (
		<ListRows
			list={lists.runs}
			keyOf={run => String(run.id)}
			rowOf={rowOf}
			header={line(runHeader(runColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={
				<Empty pane="runs" isFiltered={lists.runs.get().total > 0} width={width} height={height} />
			}
		/>
	);
}

const levelTones: Readonly<Record<LogRow['record']['level'], Tone>> = {
	error: 'bad',
	warn: 'warn',
	info: 'plain',
	debug: 'quiet',
};

const logLine = ({text, record}: LogRow, isSelected: boolean): Line => [
	{text: isSelected ? own('> ') : own('  '), tone: 'accent'},
	{text: ui`${text}`, tone: levelTones[record.level]},
];

function LogList({width, height}: RegionProps) {
	const shell = useShell();
	// The look of the log is a part of its rows.
	useStore(shell.view, state => state.logs);
	return (
		<ListRows
			list={shell.lists.logs}
			keyOf={row => row.key}
			rowOf={logLine}
			width={width}
			height={height}
			whenEmpty={
				<Empty
					pane="logs"
					isFiltered={shell.lists.logs.get().total > 0}
					width={width}
					height={height}
				/>
			}
		/>
	);
}

function RouteList({width, height}: RegionProps) {
	const {lists} = useShell();
	const rowOf = useCallback(
		(route: Parameters<typeof routeRow>[0], isSelected: boolean) =>
			routeRow(route, routeColumns(width), isSelected),
		[width],
	);
	return (
		<ListRows
			list={lists.subs}
			keyOf={routeKey}
			rowOf={rowOf}
			header={line(routeHeader(routeColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={
				<Empty pane="subs" isFiltered={lists.subs.get().total > 0} width={width} height={height} />
			}
		/>
	);
}
