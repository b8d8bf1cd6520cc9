import {useCallback} from 'react';
import type {ServerView} from '../../../core/tool-server.ts';
import {reasonRow, serverColumns, serverHeader, serverRow} from '../../entries/server-columns.ts';
import {serverKey} from '../../entries/server-key.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {serverList} from './server-list.ts';

/** The tool servers, each with the reason why it is not connected under it. */
export function ToolsBody({width, height}: RegionProps) {
	const {list, feed} = useShell();
	const servers = list(serverList);
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(server: ServerView, isSelected: boolean) =>
			serverRow(server, {columns: serverColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	return (
		<ListRows
			list={servers}
			keyOf={serverKey}
			rowOf={rowOf}
			noteOf={server => reasonRow(server, second * 1000)}
			header={line(serverHeader(serverColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={servers} width={width} height={height} />}
		/>
	);
}
