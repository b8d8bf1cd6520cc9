import {Box} from 'ink';
import {useEffect} from 'react';
import {escapeLine} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {dialogNow} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {boxLines, fitRows, placeBox, roomIn} from '../dialogs/box.ts';
import {lineWidth} from '../lines/line.ts';
import {FieldRow} from '../view/field-row.tsx';
import {LineBlock, type RegionProps} from '../view/line-block.tsx';
import {useStore, useShell} from '../view/shell-context.ts';

const border = 1;

/**
 * A dialog in a box over the pane. `width` and `height` are those of the area it may cover. Each row is a single text over the pane's cells: where that would
 * leave half of a wide character, Ink writes a blank.
 */
export function DialogBox({width, height}: RegionProps) {
	const shell = useShell();
	useStore(shell.feed, snapshot => snapshot.state);
	useStore(shell.loads, count => count);
	const area = {width, height};
	const {dialog, state} = dialogNow(shell) ?? {};
	const content = state && dialog?.contents?.(state, shell, roomIn(area));
	const top = content?.top;
	useEffect(() => {
		// Only the drawn content knows how far the dialog can scroll.
		if (state && top !== undefined && Number(state['top']) > top) {
			change(shell, {overlay: {...state, top}});
		}
	}, [shell, top, state]);
	if (!content) {
		return undefined;
	}

	const {title, rows, shown, field} = content;
	const widest = content.width ?? Math.max(0, ...[...rows, title.flat()].map(lineWidth)) + 2;
	const place = placeBox(area, {width: widest, height: rows.length});
	const fitting = fitRows(rows, place.height - 2 * border, shown);
	// A column of blanks keeps the pane's words off the border.
	const air = place.left > 0 ? 1 : 0;
	const blank = {text: escapeLine(' '.repeat(air))};
	return (
		<Box
			position="absolute"
			top={place.top}
			left={place.left - air}
			width={place.width + 2 * air}
			height={place.height}
		>
			<LineBlock
				rows={boxLines({title, rows: fitting}, place).map(row => [blank, ...row, blank])}
				top={0}
				width={place.width + 2 * air}
				height={place.height}
			/>
			{field && (
				<Box position="absolute" top={border} left={air + border}>
					<FieldRow
						label={literal('> ')}
						value={field.value}
						note={field.note}
						width={place.width - 2 * border}
						onChange={field.onChange}
					/>
				</Box>
			)}
		</Box>
	);
}
