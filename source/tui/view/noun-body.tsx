import {useCallback, useMemo} from 'react';
import {escapeLine} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import {line} from '../lines/line.ts';
import type {NounListing} from '../nouns/listing.ts';
import {nounTable} from '../nouns/table.ts';
import {EmptyList} from './empty.tsx';
import type {RegionProps} from './line-block.tsx';
import {ListRows} from './list-rows.tsx';
import {useStore, useShell} from './shell-context.ts';

type NounBodyProps = RegionProps & {
	readonly of: NounListing;
	/** Whether this list is focused, in a pane with several. */
	readonly hasFocus?: boolean;
};

/** A noun's list, one row per item. */
export function NounBody({
	of: {noun, list, known, marks, stepMs = 1000},
	hasFocus = true,
	width,
	height,
}: NounBodyProps) {
	const shell = useShell();
	const items = shell.list(list);
	const now = useStore(shell.feed, feed => Math.floor(feed.now / stepMs)) * stepMs;
	const beside = useStore(shell.feed, () => known?.(shell));
	// Rows may depend on loaded values.
	useStore(shell.loads, count => count);
	const marked = useStore(shell.view, () => marks && shell.local(marks).get());
	useStore(items, shown => shown);
	const latest = nounTable(noun, width, {items: items.shown(), known: {...beside, now}});
	// Memoised by layout; otherwise every row would be made again.
	// oxlint-disable-next-line react/exhaustive-deps -- the key says whether it is another one
	const table = useMemo(() => latest, [noun, width, latest.key]);
	const rowOf = useCallback(
		(item: unknown, isSelected: boolean) =>
			table.row(
				item,
				{...beside, now},
				{isSelected: isSelected && hasFocus, isMarked: marked?.has(noun.id(item)) === true},
			),
		[table, beside, now, marked, noun, hasFocus],
	);
	const headingOf = (item: unknown, above: unknown) => {
		const at = {...beside, now};
		const heading = noun.heading?.(item, at);
		if (heading === undefined || (above !== undefined && noun.heading?.(above, at) === heading)) {
			return undefined;
		}

		return typeof heading === 'string'
			? line(safe`  ── ${escapeLine(heading)} ──`, 'title')
			: heading.map(({text, tone = 'plain'}) => ({text: escapeLine(text), tone}));
	};
	return (
		<ListRows
			list={items}
			keyOf={noun.id}
			rowOf={rowOf}
			headingOf={headingOf}
			noteOf={item => {
				const note = noun.note?.(item, {...beside, now});
				return note === undefined ? undefined : line(safe`      ${escapeLine(note)}`, 'quiet');
			}}
			header={line(table.header, 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={items} width={width} height={height} />}
		/>
	);
}
