import {useCallback, useMemo} from 'react';
import {line} from '../lines/line.ts';
import type {NounListing} from '../nouns/listing.ts';
import {nounTable} from '../nouns/table.ts';
import {useStore} from '../state/use-store.ts';
import {EmptyList} from './empty.tsx';
import {ListRows} from './list-rows.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';

/** A list of things of one noun, one row each. */
export function NounBody({
	of: {noun, list, known},
	width,
	height,
}: RegionProps & {readonly of: NounListing}) {
	const shell = useShell();
	const items = shell.list(list);
	const second = useStore(shell.feed, ({now}) => Math.floor(now / 1000));
	// The same value while nothing changed: else every row would be made anew.
	const beside = useStore(shell.feed, () => known(shell));
	const table = useMemo(() => nounTable(noun, width), [noun, width]);
	const rowOf = useCallback(
		(item: unknown, isSelected: boolean) =>
			table.row(item, {...beside, now: second * 1000}, isSelected),
		[table, beside, second],
	);
	return (
		<ListRows
			list={items}
			keyOf={noun.id}
			rowOf={rowOf}
			header={line(table.header, 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={items} width={width} height={height} />}
		/>
	);
}
