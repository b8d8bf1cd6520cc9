import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {
	areaText,
	areaValue,
	editArea,
	insertArea,
	type AreaText,
} from '../../terminal/text/area-editor.ts';
import {editLine, insertText, lineText, type LineText} from '../../terminal/text/line-editor.ts';

/** A text of one line or of several while it is typed. */
export type Typing = LineText | AreaText;

/** Whether it has several lines, in which Enter begins another one. */
export const isArea = (typing: Typing): typing is AreaText => 'lines' in typing;

/** A text with the cursor behind it. */
export const beginTyping = (entry: 'line' | 'area', text: string): Typing =>
	entry === 'area' ? areaText(text) : lineText(text);

/** What was typed so far. */
export const typingValue = (typing: Typing): string =>
	isArea(typing) ? areaValue(typing) : typing.value;

/** The text after a key; the same where the key means nothing in it. */
export const typeKeyIn = (
	typing: Typing,
	key: Pick<KeyEvent, 'id' | 'text'>,
	maxLine?: number,
): Typing => (isArea(typing) ? editArea(typing, key) : editLine(typing, key, maxLine)) ?? typing;

/** The text with a paste at the cursor. */
export const pasteIn = (typing: Typing, pasted: string, maxLine?: number): Typing =>
	isArea(typing) ? insertArea(typing, pasted) : insertText(typing, pasted, maxLine);
