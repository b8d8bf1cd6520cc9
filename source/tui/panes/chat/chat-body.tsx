import {Box} from 'ink';
import {safe} from '../../../terminal/text/safe.ts';
import {blankLine, line} from '../../lines/line.ts';
import {Empty} from '../../view/empty.tsx';
import {LineBlock, type RegionProps} from '../../view/line-block.tsx';
import {useBodyCursor, useStore, useShell, usePane} from '../../view/shell-context.ts';
import {chatLayout} from './chat-acts.ts';
import {chatLines} from './chat-rows.ts';
import {chatNow} from './chat-state.ts';
import {findRows} from './find-session.ts';

/** The conversation with the field below it; while searching, the earlier conversations found. */
export function ChatBody({width, height}: RegionProps) {
	const shell = useShell();
	const put = useBodyCursor();
	usePane();
	useStore(shell.loads, count => count);
	const {mode, top: first} = chatNow(shell);
	if (mode === 'find') {
		const {rows, cursor} = findRows(shell, {width, height});
		put(cursor);
		return <LineBlock rows={rows} top={0} width={width} height={height} />;
	}

	const layout = chatLayout(shell, {width, height});
	const rows = chatLines(shell, width);
	const last = Math.max(0, rows.length - layout.height);
	const top = Math.min(first ?? last, last);
	const below = last - top;
	put(layout.cursor && {...layout.cursor, row: layout.height + layout.cursor.row});
	const [rule = blankLine, ...field] = layout.field;
	return (
		<Box width={width} height={height} flexDirection="column" overflow="hidden" flexShrink={0}>
			{rows.length === 0 ? (
				<Empty width={width} height={layout.height} />
			) : (
				<LineBlock rows={rows} top={top} width={width} height={layout.height} />
			)}
			<LineBlock
				rows={[
					below > 0 ? line(safe` ${below} more rows below, G goes there`, 'warn') : rule,
					...field,
				]}
				top={0}
				width={width}
				height={layout.field.length}
			/>
		</Box>
	);
}
