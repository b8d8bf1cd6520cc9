import {useCallback} from 'react';
import type {ServerView} from '../../../core/tool-server.ts';
import {useStore} from '../../state/use-store.ts';
import {Empty} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import {useShell} from '../../view/shell-context.ts';
import {line} from '../line.ts';
import {reasonRow, serverColumns, serverHeader, serverRow} from './server-columns.ts';
import {serverKey} from './server-key.ts';

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
