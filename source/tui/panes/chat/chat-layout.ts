import {literal, safe} from '../../../terminal/text/safe.ts';
import {typedRows, type TypedRows} from '../../forms/typed-rows.ts';
import {blankLine, clean, line, type Line} from '../../lines/line.ts';
import {ruleLine} from '../../lines/title-parts.ts';
import type {Host} from '../../shell/shell.ts';
import {chatNow} from './chat-state.ts';

/** Rows that are written in, at most. */
const mostRows = 8;

const margin = 1;

/** How the body is shared between what was said and what is written. */
export type ChatLayout = {
	/** Rows of the conversation. */
	readonly height: number;
	/** The rule between, and what is written. */
	readonly field: readonly Line[];
	/** In rows of `field`. */
	readonly cursor?: TypedRows['cursor'];
};

export function chatLayout(
	host: Pick<Host, 'local' | 'port' | 'view'>,
	{width, height}: {readonly width: number; readonly height: number},
): ChatLayout {
	const {mode, text} = chatNow(host);
	const isWriting = mode === 'write';
	const title = ruleLine(
		[
			[
				{
					text: host.port.isReadOnly === true ? literal('Read-only') : literal('Write'),
					tone: 'title',
				},
			],
		],
		width,
		{hasKeyboard: isWriting},
	);
	if (!isWriting) {
		const [first = '', ...more] = text.lines;
		const draft = first === '' && more.length === 0;
		return {
			height: height - 2,
			field: [
				title,
				draft
					? line(
							host.port.isReadOnly === true
								? literal(' this interface only looks')
								: literal(' Enter: write to the agent'),
							'quiet',
						)
					: line(safe` ${clean(first)}${more.length > 0 ? literal(' …') : literal('')}`),
			],
		};
	}

	const {rows, cursor} = typedRows(text, {width: width - 2 * margin, isMasked: false});
	const most = Math.max(1, Math.min(mostRows, Math.floor(height / 2) - 1));
	const shown = Math.min(most, rows.length);
	const top = Math.max(0, Math.min(cursor.row - shown + 1, rows.length - shown));
	// What is said above the keys must not hide what is written.
	const below = host.view.get().toast ? [blankLine] : [];
	return {
		height: height - shown - 1 - below.length,
		field: [title, ...rows.slice(top, top + shown).map(row => line(safe` ${row}`)), ...below],
		cursor: {row: 1 + cursor.row - top, column: margin + cursor.column},
	};
}
