import type {JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import {areaValue} from '../../terminal/text/area-editor.ts';
import {changeDraft, valueIn, withValueAt, type Draft} from './draft.ts';
import {currentField, type EditorState} from './editor-state.ts';
import {typedText, typedValue, type TypedValue} from './field-text.ts';

/** What a field holds, but for what is typed into it now. */
export const fieldValue = ({draft}: EditorState, {path}: RouteField): JsonValue | undefined =>
	path.length === 0 ? draft.name : valueIn(draft.definition, path);

/** A draft with another value of a field. */
export const withField = (draft: Draft, {path}: RouteField, value: JsonValue | undefined): Draft =>
	changeDraft(
		draft,
		path.length === 0
			? {name: typeof value === 'string' ? value.trim() : ''}
			: {definition: withValueAt(draft.definition, path, value)},
	);

/** What is typed, as a value of its field; `undefined`: nothing is, or nothing was changed. What is not shown is not taken away by leaving its field. */
export function typedNow(state: EditorState): TypedValue | undefined {
	const field = currentField(state);
	if (!state.typing || !field) {
		return undefined;
	}

	const {kind, text} = state.typing;
	const typed = kind === 'line' ? text.value : areaValue(text);
	return typed === typedText(field, fieldValue(state, field))
		? undefined
		: typedValue(field, typed);
}

/** The draft as it would be if what is typed were kept now. */
export function liveDraft(state: EditorState): Draft {
	const field = currentField(state);
	const typed = typedNow(state);
	return field && typed?.ok === true ? withField(state.draft, field, typed.value) : state.draft;
}
