import {memo, useContext} from 'react';
import {clipLine, isSameLine, mergeSpans, type Line} from '../lines/line.ts';
import {T} from '../text/t.tsx';
import {ThemeContext} from './shell-context.ts';

type LineRowProps = {readonly row: Line; readonly width: number};

/** One row of toned text, cut to `width` cells. Drawn again only when it looks different, even if the array is another one. */
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
					// The spans of a line have no identity but their place.
					// oxlint-disable-next-line react/no-array-index-key
					<T key={index} {...theme[tone]}>
						{text}
					</T>
				),
			)}
		</T>
	);
}
