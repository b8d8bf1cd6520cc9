import {memo, useContext} from 'react';
import {clipLine, mergeSpans, type Line} from '../panes/line.ts';
import {T} from '../text/t.tsx';
import {ThemeContext} from './shell-context.ts';

/** One row of toned text, cut to `width` cells. */
export const LineRow = memo(function LineRow({
	row,
	width,
}: {
	readonly row: Line;
	readonly width: number;
}) {
	const theme = useContext(ThemeContext);
	return (
		<T>
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
});
