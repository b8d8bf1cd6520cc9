import {Box} from 'ink';
import {memo, useContext} from 'react';
import {literal} from '../../terminal/text/safe.ts';
import {line, type Line, clipLine, isSameLine, mergeSpans} from '../lines/line.ts';
import {T} from '../text/t.tsx';
import {ThemeContext} from './shell-context.ts';

type LineRowProps = {readonly row: Line; readonly width: number};

/** A row of toned text, cut to `width` cells. Redrawn only if it looks different, even if the array is a new one. */
export const LineRow = memo(PlainLineRow, (last, next) => {
	return last.width === next.width && isSameLine(last.row, next.row);
});

function PlainLineRow({row, width}: LineRowProps) {
	const theme = useContext(ThemeContext);
	return (
		<T {...theme.plain}>
			{mergeSpans(clipLine(row, width)).map(({text, tone = 'plain'}, index) =>
				tone === 'plain' ? (
					text
				) : (
					// Spans of a line are identified only by their index.
					// oxlint-disable-next-line react/no-array-index-key
					<T key={index} {...theme[tone]}>
						{text}
					</T>
				),
			)}
		</T>
	);
}

type LineBlockProps = {
	readonly rows: readonly Line[];
	/** Index of the first visible row. */
	readonly top: number;
	readonly width: number;
	readonly height: number;
};

/** A window of `height` rows. */
export const LineBlock = memo(function LineBlock({rows, top, width, height}: LineBlockProps) {
	const start = Math.max(0, Math.min(top, rows.length - height));
	return (
		<Box flexDirection="column" width={width} height={height} overflow="hidden" flexShrink={0}>
			{rows.slice(start, start + height).map((row, index) => (
				// Rows of a detail are identified only by their index.
				// oxlint-disable-next-line react/no-array-index-key
				<Box key={start + index} height={1} width={width} flexShrink={0}>
					<LineRow row={row} width={width} />
				</Box>
			))}
		</Box>
	);
});

/** The line between list and detail: a blank before it, and the remaining cells of `width` after it. */
export function Divider({width, height}: Pick<LineBlockProps, 'width' | 'height'>) {
	return (
		<LineBlock
			rows={Array.from({length: height}, () => dividing)}
			top={0}
			width={width}
			height={height}
		/>
	);
}

const dividing = line(literal(' │'), 'quiet');

/** The size of a part of the screen in cells. */
export type RegionProps = {readonly width: number; readonly height: number};
