import {useCallback} from 'react';
import type {ApiKey} from '../../../core/api-keys/api-key.ts';
import {keyList} from '../../entries/key-list.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {keyColumns, keyHeader, keyRow} from './key-columns.ts';

/** The keys of the chat API, one row each. */
export function KeysBody({width, height}: RegionProps) {
	const {list, feed} = useShell();
	const keys = list(keyList);
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(key: ApiKey, isSelected: boolean) =>
			keyRow(key, {columns: keyColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	return (
		<ListRows
			list={keys}
			keyOf={key => key.id}
			rowOf={rowOf}
			header={line(keyHeader(keyColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={keys} width={width} height={height} />}
		/>
	);
}
