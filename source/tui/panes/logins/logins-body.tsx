import {useCallback} from 'react';
import {loginColumns, loginHeader, loginRow, noteRow} from '../../entries/login-columns.ts';
import {loginKey, type LoginEntry} from '../../entries/login-entry.ts';
import {loginList} from '../../entries/login-list.ts';
import {line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';

/** The tool servers that have a login, each with what a person has to do under it. */
export function LoginsBody({width, height}: RegionProps) {
	const {list, feed} = useShell();
	const entries = list(loginList);
	const second = useStore(feed, ({now}) => Math.floor(now / 1000));
	const rowOf = useCallback(
		(entry: LoginEntry, isSelected: boolean) =>
			loginRow(entry, {columns: loginColumns(width), now: second * 1000}, isSelected),
		[width, second],
	);
	return (
		<ListRows
			list={entries}
			keyOf={loginKey}
			rowOf={rowOf}
			noteOf={entry => noteRow(entry, second * 1000)}
			header={line(loginHeader(loginColumns(width)), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={entries} width={width} height={height} />}
		/>
	);
}
