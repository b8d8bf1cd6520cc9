import type {RouteField} from '../../core/route-editor.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import type {FormState} from '../forms/form.ts';
import {endEditing, typedNow} from '../forms/form.ts';
import {changeDraft, valueIn, withValueAt, type Draft} from './draft.ts';
import type {EditorState} from './editor-state.ts';
import {
	addKey,
	custom,
	filterLine,
	filterOf,
	isMember,
	membersOf,
	rowsOfSettings,
	withMember,
} from './list-setting.ts';

/** Longest line of a field: a prompt may be one. */
const maxLine = 64 * 1024;

/** A setting of a route as a field of a form. */
export const settingField = ({
	path,
	options,
	secret,
	required,
	...rest
}: RouteField): FieldRecord => ({
	key: path.join('.'),
	title: titleOf(path),
	description: rest.description,
	kind: rest.kind,
	required: required === true,
	// What stands there as JSON holds marks instead of secrets.
	masked: secret === true && rest.kind !== 'json',
	none: rest.default === undefined ? {} : {default: rest.default},
	...(options && {options: options.map(value => ({value, title: value}))}),
	...(isMember(path) && path[0] === 'filters' && {own: {typed: filterLine, taken: filterOf}}),
	maxLine,
});

function titleOf(path: readonly string[]): string {
	const [key = 'name', at = ''] = path;
	return isMember(path)
		? `${key} ${at === addKey ? addKey : Number(at) + 1}`
		: path.join('.') || key;
}

/** What a field of a route holds. */
export function heldBy({name, definition}: Pick<Draft, 'name' | 'definition'>, field: RouteField) {
	const {path} = field;
	const [key = '', at = ''] = path;
	if (path.length === 0) {
		return name;
	}

	if (isMember(path)) {
		return membersOf(definition[key])[Number(at)];
	}

	const value = valueIn(definition, path);
	return field.options?.includes(custom) && typeof value === 'object' ? custom : value;
}

/** Whether what a field holds is not as it was read. */
export const isFieldChanged = ({draft}: EditorState, field: RouteField): boolean =>
	field.path.length === 0
		? draft.name !== draft.from
		: JSON.stringify(heldBy(draft, field)) !==
			JSON.stringify(heldBy({name: '', definition: draft.base}, field));

/** The fields of what is edited, in rows. */
export const fieldsOf = ({fields, draft}: EditorState): readonly RouteField[] =>
	rowsOfSettings(fields, draft.definition);

/** The field that keys act on. */
export const fieldNow = (state: EditorState): RouteField | undefined =>
	fieldsOf(state)[state.place.index];

/** What is edited, as a form. */
export function routeForm(state: EditorState): FormState {
	const {place, draft} = state;
	const fields = fieldsOf(state);
	return {
		...place,
		fields: fields.map(settingField),
		values: Object.fromEntries(fields.map(field => [field.path.join('.'), heldBy(draft, field)])),
	};
}

/** What is edited, with what became of its form. */
export function withForm(state: EditorState, form: FormState): EditorState {
	const {index, option, editing} = form;
	return {
		...state,
		place: {index, option, ...(editing && {editing})},
		draft: withValues(state, form),
	};
}

function withValues(state: EditorState, {values}: FormState): Draft {
	const {draft} = state;
	return fieldsOf(state).reduce((changed, field) => {
		const value = values[field.path.join('.')];
		return value === heldBy(draft, field) ? changed : withHeld(changed, field.path, value);
	}, draft);
}

/** A text of nothing but blanks is none. */
function withHeld(draft: Draft, path: readonly string[], value: FieldValue): Draft {
	const [key = '', at = ''] = path;
	const text = typeof value === 'string' ? value.trim() : undefined;
	return changeDraft(
		draft,
		path.length === 0
			? {name: text ?? ''}
			: {
					definition: isMember(path)
						? withValueAt(
								draft.definition,
								[key],
								withMember(draft.definition[key], at, text === '' ? undefined : value),
							)
						: withValueAt(
								draft.definition,
								path,
								text === '' ? undefined : value === custom ? {} : value,
							),
				},
	);
}

/** The draft as it would be if what is typed were kept now. */
export function liveDraft(state: EditorState): Draft {
	const form = routeForm(state);
	return typedNow(form)?.ok === true ? withForm(state, endEditing(form)).draft : state.draft;
}
