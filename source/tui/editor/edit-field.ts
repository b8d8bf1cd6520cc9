import type {JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {areaText, editArea, insertArea} from '../../terminal/text/area-editor.ts';
import {editLine, insertText, lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../panes/line.ts';
import type {Shell} from '../shell/shell.ts';
import {
	begunKey,
	changeEditor,
	completionsOf,
	currentField,
	editorNow,
	type Typing,
} from './editor-state.ts';
import {hasLines, typedText} from './field-text.ts';
import {refresh} from './refresh.ts';
import {fieldValue, typedNow, withField} from './typed-draft.ts';

/** Longest line of a field. */
const maxLine = 64 * 1024;

/** Gives a field another value; `undefined`: none. */
export function setField(shell: Shell, field: RouteField, value: JsonValue | undefined): void {
	changeEditor(shell, state => ({...state, draft: withField(state.draft, field, value)}));
	refresh(shell);
}

/** One field down or up. */
export function moveField(shell: Shell, step: number): void {
	changeEditor(shell, state => ({
		...state,
		index: Math.max(0, Math.min(state.index + step, state.fields.length - 1)),
	}));
}

/** Types into the field, or takes its next value. */
export function enterField(shell: Shell): void {
	const state = editorNow(shell);
	const field = state && currentField(state);
	if (!state || !field) {
		return;
	}

	if (field.byHand === true) {
		shell.toast(literal('This one is changed by hand: E opens the route as JSON'), 'warn');
		return;
	}

	if (field.kind === 'boolean' || field.kind === 'choice') {
		turnField(shell, 1);
		return;
	}

	const text = typedText(field, fieldValue(state, field));
	const typing: Typing = hasLines(field)
		? {kind: 'area', text: areaText(text)}
		: {kind: 'line', text: lineText(text)};
	changeEditor(shell, now => ({...now, typing, completion: undefined}));
}

/** The next or previous of the values that a field can have, after the last of which it has none. */
export function turnField(shell: Shell, step: 1 | -1): void {
	const state = editorNow(shell);
	const field = state && currentField(state);
	if (!state || !field || (field.kind !== 'boolean' && field.kind !== 'choice')) {
		return;
	}

	const values: ReadonlyArray<JsonValue | undefined> = [
		undefined,
		...(field.kind === 'boolean'
			? [true, false].filter(value => value !== field.default)
			: (field.options ?? [])),
	];
	const at = values.indexOf(fieldValue(state, field));
	setField(shell, field, values[(Math.max(at, 0) + step + values.length) % values.length]);
}

/** Ends typing; what was typed becomes the value, where it can be one. Returns whether it did. */
export function keepTyped(shell: Shell): boolean {
	const state = editorNow(shell);
	const field = state && currentField(state);
	if (!state?.typing || !field) {
		return true;
	}

	const result = typedNow(state);
	if (!result) {
		leaveTyped(shell);
		return true;
	}

	if (!result.ok) {
		shell.toast(safe`${clean(field.path.join('.'))} ${clean(result.problem)}`, 'warn');
		return false;
	}

	leaveTyped(shell);
	setField(shell, field, result.value);
	return true;
}

/** Ends typing; the value stays what it was. */
export function leaveTyped(shell: Shell): void {
	changeEditor(shell, state => ({...state, typing: undefined, completion: undefined}));
	refresh(shell);
}

/** Where a `{` begins the name of a key. */
const takesTemplates: ReadonlySet<RouteField['kind']> = new Set(['text', 'lines', 'mapping']);

function changeTyping(shell: Shell, update: (typing: Typing) => Typing): void {
	changeEditor(shell, state => {
		const typing = state.typing && update(state.typing);
		const field = currentField(state);
		const begins =
			typing && field && takesTemplates.has(field.kind) && begunKey(typing) !== undefined;
		return {...state, typing, completion: begins ? 0 : undefined};
	});
	refresh(shell);
}

/** Gives a key to what is typed. */
export function typeInField(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void {
	changeTyping(shell, typing =>
		typing.kind === 'line'
			? {kind: 'line', text: editLine(typing.text, key, maxLine) ?? typing.text}
			: {kind: 'area', text: editArea(typing.text, key) ?? typing.text},
	);
}

/** Puts a paste into what is typed. */
export function pasteInField(shell: Shell, pasted: string): void {
	changeTyping(shell, typing =>
		typing.kind === 'line'
			? {kind: 'line', text: insertText(typing.text, pasted, maxLine)}
			: {kind: 'area', text: insertArea(typing.text, pasted)},
	);
}

/** Writes the chosen key out behind its `{`. */
export function complete(shell: Shell): void {
	const state = editorNow(shell);
	const key = state && completionsOf(state)[state.completion ?? 0];
	const begun = state?.typing && begunKey(state.typing);
	if (key === undefined || begun === undefined) {
		return;
	}

	const count = [...new Intl.Segmenter().segment(begun)].length;
	for (let typed = 0; typed < count; typed++) {
		typeInField(shell, {id: 'backspace', text: ''});
	}

	pasteInField(shell, `${key}}`);
}

/** Another one of what can complete a `{`. */
export function moveCompletion(shell: Shell, step: 1 | -1): void {
	changeEditor(shell, state => {
		const {length} = completionsOf(state);
		const {completion = 0} = state;
		return {...state, completion: length === 0 ? 0 : (completion + step + length) % length};
	});
}
