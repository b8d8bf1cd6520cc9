import type {Safe} from '../../core/untrusted.ts';
import {shownLine, type LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {blankLine, line, wrapText} from '../panes/line.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';

/** The question for the address that a browser on another machine ended on, and what is wrong with the one that was given. */
export function LoginPasteBody({
	text,
	problem,
	width,
	height,
}: RegionProps & {readonly text: LineText; readonly problem?: Safe | undefined}) {
	const told = [
		'Paste the whole address that the browser ended on: that of a page that does not load.',
		'It is good for this login alone, and once.',
	].flatMap(sentence => wrapText(sentence, width - 4).map(row => line(safe`  ${row}`, 'quiet')));
	return (
		<LineBlock
			rows={[
				blankLine,
				...told,
				blankLine,
				[{text: literal('  > '), tone: 'accent'}, {text: shownLine(text, {width: width - 6})}],
				...(problem === undefined
					? []
					: wrapText(problem, width - 6).map(row => line(safe`    ${row}`, 'bad'))),
			]}
			top={0}
			width={width}
			height={height}
		/>
	);
}
