import {shownLine} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {blankLine, clean, line, wrapText} from '../panes/line.ts';
import type {Overlay} from '../state/view.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';

/** The question for a name before something is done that cannot be taken back. */
export function TypeNameBody({
	overlay,
	width,
	height,
}: RegionProps & {readonly overlay: Extract<Overlay, {kind: 'type-name'}>}) {
	const {lines, name, act, text, isWrong = false} = overlay;
	return (
		<LineBlock
			rows={[
				blankLine,
				...lines.flatMap(told => wrapText(told, width - 4).map(row => line(safe`  ${row}`))),
				blankLine,
				...wrapText(safe`Type ${clean(name)} and press Enter to ${act}.`, width - 4).map(row =>
					line(safe`  ${row}`, 'quiet'),
				),
				[{text: literal('  > '), tone: 'accent'}, {text: shownLine(text, {width: width - 6})}],
				...(isWrong ? [line(literal('    That is not the name: nothing was done'), 'bad')] : []),
			]}
			top={0}
			width={width}
			height={height}
		/>
	);
}
