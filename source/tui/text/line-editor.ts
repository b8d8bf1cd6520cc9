import type {NamedKey} from '../input/key-event.ts';

/** A text that is being edited. Immutable. */
export type Editor = {
	/** Well-formed, without control characters but line feeds. */
	readonly text: string;
	/** Where the next character goes: an index into `text` (UTF-16 units), always between two graphemes. */
	readonly cursor: number;
	/** What was cut last, for `ctrl+y`. */
	readonly cut: string;
	/** Earlier states, oldest first, at most 100. */
	readonly past: ReadonlyArray<Pick<Editor, 'text' | 'cursor'>>;
};

export type EditorOptions = {
	/** Longest text, UTF-16 units; what is over is not inserted. */
	readonly maxLength: number;
	readonly multiline?: boolean;
};

const mostPast = 100;

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

export const emptyEditor: Editor = {text: '', cursor: 0, cut: '', past: []};

/** An editor over `text`, the cursor behind it. */
export const editorOf = (text: string, options: EditorOptions): Editor => ({
	...insertText(emptyEditor, text, options),
	past: [],
});

/** Puts `text`, typed or pasted, at the cursor; cleaned, and cut where the whole would be too long. Pure. */
export function insertText(
	editor: Editor,
	text: string,
	{maxLength, multiline = false}: EditorOptions,
): Editor {
	const room = Math.max(0, maxLength - editor.text.length);
	const inserted = head(clean(text.slice(0, room * 2 + 2), multiline), room);
	return inserted === ''
		? editor
		: replaced(editor, {from: editor.cursor, to: editor.cursor, by: inserted});
}

/**
 * What a key does: characters, arrows, readline's keys (`ctrl+a e b f d k u w y`, `alt+b f d`), undo with `ctrl+_`; in several
 * lines `shift+enter`, `alt+enter` and `ctrl+j` begin a new one and `up`/`down` move between them. `undefined` when the key is not
 * the editor's (Enter, Escape, Tab), or does nothing there (`up` in the first line). Pure.
 */
export function editKey(editor: Editor, key: NamedKey, options: EditorOptions): Editor | undefined {
	if (key.text !== '') {
		return insertText(editor, key.text, options);
	}

	if (options.multiline === true && newlineKeys.has(key.id)) {
		return insertText(editor, '\n', options);
	}

	return key.id === 'ctrl+y' ? insertText(editor, editor.cut, options) : actions[key.id]?.(editor);
}

const newlineKeys: ReadonlySet<string> = new Set(['shift+enter', 'alt+enter', 'ctrl+j']);

type Action = (editor: Editor) => Editor | undefined;

const moveTo =
	(target: (editor: Editor) => number): Action =>
	editor => ({...editor, cursor: target(editor)});

const deleteTo =
	(target: (editor: Editor) => number, {keep = false} = {}): Action =>
	editor => {
		const [from = 0, to = 0] = [editor.cursor, target(editor)].toSorted((a, b) => a - b);
		if (from === to) {
			return editor;
		}

		const cut = keep ? editor.text.slice(from, to) : editor.cut;
		return {...replaced(editor, {from, to, by: ''}), cut};
	};

const lineStart = ({text, cursor}: Editor) => text.lastIndexOf('\n', cursor - 1) + 1;

const lineEnd = ({text, cursor}: Editor) => {
	const end = text.indexOf('\n', cursor);
	return end === -1 ? text.length : end;
};

const previous = ({text, cursor}: Editor) =>
	cursor === 0 ? 0 : (graphemes.segment(text).containing(cursor - 1)?.index ?? 0);

const next = ({text, cursor}: Editor) =>
	cursor + (graphemes.segment(text).containing(cursor)?.segment.length ?? 0);

const wordStart = ({text, cursor}: Editor) =>
	boundary(text, text.slice(0, cursor).search(/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u));

const wordEnd = ({text, cursor}: Editor) => {
	const word = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor))?.[0] ?? '';
	return boundary(text, cursor + word.length);
};

/** The same place in the line above (-1) or below (1), counted in graphemes. */
const vertical =
	(step: -1 | 1): Action =>
	editor => {
		const {text} = editor;
		const start = lineStart(editor);
		const other = step === -1 ? start - 1 : lineEnd(editor) + 1;
		if (other < 0 || other > text.length) {
			return undefined;
		}

		const line = {...editor, cursor: other};
		const column = [...graphemes.segment(text.slice(start, editor.cursor))].length;
		const target = text.slice(lineStart(line), lineEnd(line));
		const before = [...graphemes.segment(target)].slice(0, column);
		return {
			...editor,
			cursor: lineStart(line) + before.reduce((sum, {segment}) => sum + segment.length, 0),
		};
	};

const undo: Action = ({past, cut}) => {
	const last = past.at(-1);
	return last && {...last, cut, past: past.slice(0, -1)};
};

const actions: Readonly<Record<string, Action | undefined>> = {
	left: moveTo(previous),
	'ctrl+b': moveTo(previous),
	right: moveTo(next),
	'ctrl+f': moveTo(next),
	home: moveTo(lineStart),
	'ctrl+a': moveTo(lineStart),
	end: moveTo(lineEnd),
	'ctrl+e': moveTo(lineEnd),
	'alt+b': moveTo(wordStart),
	'ctrl+left': moveTo(wordStart),
	'alt+left': moveTo(wordStart),
	'alt+f': moveTo(wordEnd),
	'ctrl+right': moveTo(wordEnd),
	'alt+right': moveTo(wordEnd),
	up: vertical(-1),
	down: vertical(1),
	backspace: deleteTo(previous),
	delete: deleteTo(next),
	'ctrl+d': deleteTo(next),
	'ctrl+w': deleteTo(wordStart, {keep: true}),
	'alt+backspace': deleteTo(wordStart, {keep: true}),
	'alt+d': deleteTo(wordEnd, {keep: true}),
	'ctrl+u': deleteTo(lineStart, {keep: true}),
	'ctrl+k': deleteTo(lineEnd, {keep: true}),
	'ctrl+_': undo,
};

function replaced(
	{text, cursor, cut, past}: Editor,
	{from, to, by}: {readonly from: number; readonly to: number; readonly by: string},
): Editor {
	const result = text.slice(0, from) + by + text.slice(to);
	return {
		text: result,
		// What is joined may be one grapheme now: the cursor goes behind it.
		cursor: boundary(result, from + by.length),
		cut,
		past: [...past, {text, cursor}].slice(-mostPast),
	};
}

/** `index`, or the end of the grapheme that it would fall into. */
function boundary(text: string, index: number): number {
	const around = index >= text.length ? undefined : graphemes.segment(text).containing(index);
	return !around || around.index === index
		? Math.min(index, text.length)
		: around.index + around.segment.length;
}

const clean = (text: string, multiline: boolean) =>
	text
		.toWellFormed()
		.replaceAll(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
		.replaceAll(/\n/g, multiline ? '\n' : ' ')
		.replaceAll('\t', multiline ? '  ' : ' ')
		.replaceAll(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069\uFEFF]/gu, '');

const head = (text: string, length: number) =>
	text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
