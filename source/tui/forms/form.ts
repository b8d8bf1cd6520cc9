import type {JsonValue} from '../../core/json.ts';
import {
	fieldEntryOf,
	fieldProblem,
	isTyped,
	typedText,
	typedValue,
} from '../../nouns/field-kinds.ts';
import type {FieldRecord, FieldValue, TypedValue} from '../../nouns/field.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {
	areaText,
	areaValue,
	editArea,
	insertArea,
	type AreaText,
} from '../../terminal/text/area-editor.ts';
import {editLine, insertText, lineText, type LineText} from '../../terminal/text/line-editor.ts';

/** The cursor of a form. */
export type FormPlace = {
	/** The selected field. */
	readonly index: number;
	/** The text being typed into the field; absent while keys move between fields. */
	readonly editing?: Typing;
	/** The selected option in a list of choices. */
	readonly option: number;
};

/** A form being filled in, as plain data. Every function here returns a changed copy, or the same value if nothing changes. */
export type FormState = FormPlace & {
	readonly fields: readonly FieldRecord[];
	/** By field key. */
	readonly values: Readonly<Record<string, FieldValue>>;
};

/** A form with the initial values of its fields. */
export const newForm = (fields: readonly FieldRecord[]): FormState => ({
	fields,
	values: Object.fromEntries(fields.map(field => [field.key, initialOf(field)])),
	index: 0,
	option: 0,
});

function initialOf({kind, initial, options = []}: FieldRecord): FieldValue {
	switch (kind) {
		case 'boolean':
			return typeof initial === 'boolean' ? initial : undefined;
		case 'choice':
			return options.find(({value}) => value === initial)?.value;
		case 'choices':
			return Array.isArray(initial)
				? options.map(({value}) => value).filter(value => initial.includes(value))
				: [];
		case 'text':
		case 'lines':
		case 'number':
		case 'integer':
			return typeof initial === 'string' || typeof initial === 'number' ? initial : undefined;
		case 'texts':
		case 'mapping':
		case 'json':
			return initial;
	}
}

/** The selected field. */
export const currentField = ({fields, index}: FormState): FieldRecord | undefined => fields[index];

/** Moves by one field, or by one option in a list of choices, or by several fields; an infinite step goes to the end. */
export function moveField(form: FormState, step: number): FormState {
	const options = optionsOf(currentField(form));
	const option = form.option + step;
	if (option >= 0 && option < options.length) {
		return {...form, option};
	}

	const {fields} = form;
	const index = Math.max(0, Math.min(form.index + step, fields.length - 1));
	const last = Math.max(0, optionsOf(fields[index]).length - 1);
	const at = step === Infinity || (step < 0 && step !== -Infinity) ? last : 0;
	return index === form.index && Number.isFinite(step) ? form : {...form, index, option: at};
}

const optionsOf = (field: FieldRecord | undefined): NonNullable<FieldRecord['options']> =>
	field && fieldEntryOf(field) === 'options' ? (field.options ?? []) : [];

/** The form with another value for a field; `undefined` removes it. */
export const withValue = (form: FormState, key: string, value: FieldValue): FormState => ({
	...form,
	values: {...form.values, [key]: value},
});

/** Removes the field's value. */
export function clearField(form: FormState): FormState {
	const field = currentField(form);
	return field ? withValue(form, field.key, undefined) : form;
}

/** Starts typing in a field, or takes its next value: yes and no, the next choice, an option on or off. */
export function actOnField(form: FormState): FormState {
	const field = currentField(form);
	if (!field || !isTyped(field)) {
		return turnField(form, 1);
	}

	const text = typedText(field, form.values[field.key]);
	return {...form, editing: fieldEntryOf(field) === 'area' ? areaText(text) : lineText(text)};
}

/** The next or previous value of a choice. */
export function turnField(form: FormState, step: 1 | -1): FormState {
	const field = currentField(form);
	if (!field || isTyped(field)) {
		return form;
	}

	const value = form.values[field.key];
	if (fieldEntryOf(field) === 'options') {
		const options = optionsOf(field).map(option => option.value);
		const chosen: readonly JsonValue[] = Array.isArray(value) ? value : [];
		const one = options[form.option] ?? '';
		return withValue(
			form,
			field.key,
			options.filter(other => (other === one ? !chosen.includes(other) : chosen.includes(other))),
		);
	}

	const values = turnsOf(field);
	const none = field.none ? 0 : -1;
	const at = values.indexOf(value);
	const from = at === -1 ? none : at;
	const next = from === -1 && step === -1 ? values.length - 1 : from + step;
	return withValue(form, field.key, values[(next + values.length) % values.length]);
}

/** The values that a choice cycles through. The default of an absent value is left out: the first key press would change nothing visible. */
function turnsOf({kind, options = [], none}: FieldRecord): readonly FieldValue[] {
	const all: readonly FieldValue[] =
		kind === 'boolean' ? [true, false] : options.map(({value}) => value);
	const values = all.filter(value => value !== none?.default);
	return none ? [undefined, ...values] : values;
}

/** The typed text as a value of its field; `undefined` while not typing, or if unchanged. Thus leaving a masked field does not delete its value. */
export function typedNow(form: FormState): TypedValue | undefined {
	const field = currentField(form);
	if (!form.editing || !field) {
		return undefined;
	}

	const typed = typingValue(form.editing);
	return typed === typedText(field, form.values[field.key]) ? undefined : typedValue(field, typed);
}

/** Ends typing and stores the text, even an invalid one: the field then shows its problem. */
export function endEditing(form: FormState): FormState {
	const field = currentField(form);
	const typed = typedNow(form);
	const rest = leaveEditing(form);
	return form.editing && field && typed
		? withValue(rest, field.key, typed.ok ? typed.value : typingValue(form.editing))
		: rest;
}

/** Ends typing; the value stays unchanged. */
export function leaveEditing(form: FormState): FormState {
	const {editing: _, ...rest} = form;
	return rest;
}

const changeTyping = (
	form: FormState,
	update: (typing: Typing, maxLine: number | undefined) => Typing,
): FormState =>
	form.editing ? {...form, editing: update(form.editing, currentField(form)?.maxLine)} : form;

/** Applies a key to the text being typed. */
export const typeInto = (form: FormState, key: Pick<KeyEvent, 'id' | 'text'>): FormState =>
	changeTyping(
		form,
		(typing, maxLine) =>
			(isArea(typing) ? editArea(typing, key) : editLine(typing, key, maxLine)) ?? typing,
	);

/** Inserts a paste into the text being typed. */
export const pasteInto = (form: FormState, text: string): FormState =>
	changeTyping(form, (typing, maxLine) =>
		isArea(typing) ? insertArea(typing, text) : insertText(typing, text, maxLine),
	);

/** Whether nothing was filled in, so that leaving loses nothing. */
export const isUntouched = ({fields, values, editing}: FormState): boolean =>
	editing === undefined &&
	fields.every(field => JSON.stringify(values[field.key]) === JSON.stringify(initialOf(field)));

/** The form with its masked fields reset to their initial values. */
export const withoutMasked = (form: FormState): FormState => ({
	...leaveEditing(form),
	values: Object.fromEntries(
		form.fields.map(field => [field.key, field.masked ? initialOf(field) : form.values[field.key]]),
	),
});

/** The problems of the form by field key; empty if it can be sent. */
export const problemsIn = ({fields, values}: FormState): ReadonlyMap<string, string> =>
	new Map(
		fields.flatMap(field => {
			const problem = fieldProblem(field, values[field.key]);
			return problem === undefined ? [] : [[field.key, problem] as const];
		}),
	);

/** The first invalid field, and why. */
export function firstInvalidField(
	form: FormState,
): {readonly field: FieldRecord; readonly index: number; readonly problem: string} | undefined {
	const problems = problemsIn(form);
	const index = form.fields.findIndex(({key}) => problems.has(key));
	const field = form.fields[index];
	return field && {field, index, problem: problems.get(field.key) ?? ''};
}

/** A text being typed, of one line or of several. */
export type Typing = LineText | AreaText;

/** Whether the text has several lines; Enter then begins a new one. */
export const isArea = (typing: Typing): typing is AreaText => 'lines' in typing;

/** The text typed so far. */
const typingValue = (typing: Typing): string => (isArea(typing) ? areaValue(typing) : typing.value);
