import {valueIn, withValueAt} from '../../core/json-path.ts';
import type {JsonObject} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import type {FormState} from '../forms/form.ts';
import {endEditing, typedNow} from '../forms/form.ts';
import {changeDraft, type Draft} from './draft.ts';
import type {EditorState} from './editor-state.ts';
import {
	addKey,
	custom,
	filterLine,
	parsedFilter,
	isListMember,
	listMembers,
	rowsOfSettings,
	withMember,
} from './list-setting.ts';
import {settingOf} from './settings.ts';

/** The longest line of a field; a whole prompt may be one line. */
const maxLine = 64 * 1024;

/** A setting of a route as a form field, named by its key. */
export const settingField = ({path, options, kind, ...field}: RouteField): FieldRecord => ({
	key: path.join('.'),
	title: path.join('.') || 'name',
	description: field.description,
	kind,
	required: field.required === true,
	// JSON contains placeholders in place of secrets.
	masked: field.secret === true && kind !== 'json',
	none: field.default === undefined ? {} : {default: field.default},
	...(options && {options: options.map(value => ({value, title: value}))}),
	...(isListMember(path) &&
		path[0] === 'filters' && {own: {typed: filterLine, taken: parsedFilter}}),
	maxLine,
});

/** A field's key in the form; empty for the name. */
export const keyOf = ({path}: Pick<RouteField, 'path'>): string => path.join('.');

/** A setting's description, after its key if its label differs. */
function describedBy(field: RouteField): string {
	const {key, label} = settingOf(field);
	return key === '' || key === label ? field.description : `${key}: ${field.description}`;
}

function titleOf(field: RouteField, definition: JsonObject): string {
	const {path} = field;
	if (field === foldField) {
		return '…';
	}

	const {key, label} = settingOf(field);
	const [first = '', at = ''] = path;
	if (!isListMember(path)) {
		return path.join('.') === key ? label : path.join('.');
	}

	const count = at === addKey ? listMembers(definition[first]).length : Number(at);
	return count === 0 ? label : at === addKey ? `another ${label}` : `${label} ${count + 1}`;
}

/** The value of a route's field. */
function heldBy({name, definition}: Pick<Draft, 'name' | 'definition'>, field: RouteField) {
	const {path} = field;
	const [key = '', at = ''] = path;
	if (path.length === 0) {
		return name;
	}

	if (isListMember(path)) {
		return listMembers(definition[key])[Number(at)];
	}

	const value = valueIn(definition, path);
	return field.options?.includes(custom) && typeof value === 'object' ? custom : value;
}

/** Whether a field's value differs from the one read. */
export const isFieldChanged = ({draft}: EditorState, field: RouteField): boolean =>
	field.path.length === 0
		? draft.name !== draft.from
		: JSON.stringify(heldBy(draft, field)) !==
			JSON.stringify(heldBy({name: '', definition: draft.base}, field));

/** All fields of the route, folded ones too. */
export const allFieldsOf = ({fields, draft}: EditorState): readonly RouteField[] =>
	rowsOfSettings(fields, draft.definition);

/** The row that unfolds or folds the fields without value and problem. */
export const foldField: RouteField = {
	path: ['…'],
	kind: 'text',
	description: 'Settings that are not written; / finds one by its name',
};

/** The visible fields: written ones, those with problems, and those shown for every route; then the row that unfolds the others. */
export function shownFields(state: EditorState): readonly RouteField[] {
	const all = allFieldsOf(state);
	const shown = state.isUnfolded === true ? all : all.filter(field => stands(state, field));
	return [...shown, foldField];
}

/** The number of folded fields. */
export const foldedCount = (state: EditorState): number =>
	allFieldsOf(state).length + 1 - shownFields(state).length;

function stands({draft, check, place}: EditorState, field: RouteField): boolean {
	const {path, inMapping} = field;
	const [first = '', at = ''] = path;
	const said = [...(check?.problems ?? []), ...(check?.notes ?? [])];
	if (
		keyOf(field) === place.key ||
		inMapping === true ||
		said.some(one => isSaidOf(one.path, field, draft))
	) {
		return true;
	}

	if (at === addKey) {
		return first === 'filters' || listMembers(draft.definition[first]).length === 0;
	}

	const {stands: when} = settingOf(field);
	const isWritten = [draft.definition, draft.base].some(
		definition => valueIn(definition, path) !== undefined,
	);
	return when === 'always' || (when === undefined && isWritten);
}

/** Whether a message about the setting `about` (dotted keys) belongs to a field: its own, its parent, the last row of a list, or the rows of a mapping. */
export function isSaidOf(about: string, field: RouteField, {definition}: Draft): boolean {
	const {path, inMapping} = field;
	const [key = '', at = ''] = path;
	const own = keyOf(field);
	if (about === own || (own !== '' && about.startsWith(`${own}.`))) {
		return true;
	}

	if (!isListMember(path)) {
		return path.length > 1 && inMapping !== true && about === key;
	}

	// A member written without its list has no index in messages. A message about the whole list belongs to its last row.
	const list = definition[key];
	const isOnly = at === '0' && !Array.isArray(list);
	const isWhole = at === addKey ? Array.isArray(list) || list === undefined : isOnly;
	return (isWhole && about === key) || (isOnly && about.startsWith(`${key}.`));
}

/** The index of the selected field; if it is gone, that of the last field of its list or mapping. */
function indexIn(fields: readonly RouteField[], key: string): number {
	const [first] = key.split('.');
	const index = fields.findIndex(field => keyOf(field) === key);
	const near = fields.findLastIndex(({path}) => path[0] === first);
	return Math.max(0, index === -1 ? near : index);
}

/** The selected field. */
export function fieldNow(state: EditorState): RouteField | undefined {
	const fields = shownFields(state);
	return fields[indexIn(fields, state.place.key)];
}

/** The edited route as a form. */
export function routeForm(state: EditorState): FormState {
	const {draft} = state;
	const {key, ...place} = state.place;
	const fields = shownFields(state);
	return {
		...place,
		index: indexIn(fields, key),
		fields: fields.map(field => ({
			...settingField(field),
			title: titleOf(field, draft.definition),
			description: describedBy(field),
		})),
		values: Object.fromEntries(fields.map(field => [keyOf(field), heldBy(draft, field)])),
	};
}

/** The edited route with the changes made in its form. */
export function withForm(state: EditorState, form: FormState): EditorState {
	const {fields, index, option, editing} = form;
	const draft = withValues(state, form);
	const key = fields[index]?.key ?? '';
	const [list = '', at] = key.split('.');
	const counts = [state.draft, draft].map(({definition}) => listMembers(definition[list]).length);
	const [before = 0, now = 0] = counts;
	return {
		...state,
		// Selects what was added.
		place: {
			key: at === addKey && now > before ? `${list}.${now - 1}` : key,
			option,
			...(editing && {editing}),
		},
		draft,
	};
}

function withValues(state: EditorState, {values}: FormState): Draft {
	const {draft} = state;
	return shownFields(state).reduce((changed, field) => {
		const value = values[keyOf(field)];
		return value === heldBy(draft, field) ? changed : withHeld(changed, field.path, value);
	}, draft);
}

/** Blank text counts as no value. */
function withHeld(draft: Draft, path: readonly string[], value: FieldValue): Draft {
	const [key = '', at = ''] = path;
	const text = typeof value === 'string' ? value.trim() : undefined;
	return changeDraft(
		draft,
		path.length === 0
			? {name: text ?? ''}
			: {
					definition: isListMember(path)
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

/** The draft including the text being typed. */
export function liveDraft(state: EditorState): Draft {
	const form = routeForm(state);
	return typedNow(form)?.ok === true ? withForm(state, endEditing(form)).draft : state.draft;
}
