import {useCallback} from 'react';
import type {ServerView} from '../../core/tool-server.ts';
import {line} from '../panes/line.ts';
import {useStore} from '../state/use-store.ts';
import {reasonRow, serverColumns, serverHeader, serverRow} from '../tools/server-columns.ts';
import {serverKey} from '../tools/server-key.ts';
import {Empty} from './empty.tsx';
import {ListRows} from './list-rows.tsx';
import {useShell} from './shell-context.ts';

/** The tool servers, each with the reason why it is not connected under it. */
export function ServerList({width, height}: {readonly width: number; readonly height: number}) {
	const {lists, feed} = useShell();
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(server: ServerView, isSelected: boolean) =>
			serverRow(server, {columns: serverColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	const isFiltered = lists.tools.get().total > 0;
	return (
		<ListRows
			list={lists.tools}
			keyOf={serverKey}
			rowOf={rowOf}
			noteOf={server => reasonRow(server, second * 1000)}
			header={line(serverHeader(serverColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<Empty pane="tools" isFiltered={isFiltered} width={width} height={height} />}
		/>
	);
}
