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

/** Where keys act in a form. */
export type FormPlace = {
	/** The field that keys act on. */
	readonly index: number;
	/** What is typed into that field; absent while keys move between fields. */
	readonly editing?: Typing;
	/** The option that keys act on, in a list of choices. */
	readonly option: number;
};

/** A form that is being filled in: plain data, which every function here gives back changed, or the same where there is nothing to change. */
export type FormState = FormPlace & {
	readonly fields: readonly FieldRecord[];
	/** By the keys of the fields. */
	readonly values: Readonly<Record<string, FieldValue>>;
};

/** A form with what its fields begin with. */
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

/** The field that keys act on. */
export const currentField = ({fields, index}: FormState): FieldRecord | undefined => fields[index];

/** One field, or one option of a list of choices, down or up; more fields at once; an infinite step goes to the end. */
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

/** The form with another value of a field; `undefined`: none. */
export const withValue = (form: FormState, key: string, value: FieldValue): FormState => ({
	...form,
	values: {...form.values, [key]: value},
});

/** Leaves the field out. */
export function clearField(form: FormState): FormState {
	const field = currentField(form);
	return field ? withValue(form, field.key, undefined) : form;
}

/** Types into a field, or takes its next value: yes and no, the next choice, an option on or off. */
export function actOnField(form: FormState): FormState {
	const field = currentField(form);
	if (!field || !isTyped(field)) {
		return turnField(form, 1);
	}

	const text = typedText(field, form.values[field.key]);
	return {...form, editing: fieldEntryOf(field) === 'area' ? areaText(text) : lineText(text)};
}

/** The next or the previous value of a field that is chosen. */
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

/** What a field that is chosen goes through. What holds without a value is not written as one: the first key would change nothing that is seen. */
function turnsOf({kind, options = [], none}: FieldRecord): readonly FieldValue[] {
	const all: readonly FieldValue[] =
		kind === 'boolean' ? [true, false] : options.map(({value}) => value);
	const values = all.filter(value => value !== none?.default);
	return none ? [undefined, ...values] : values;
}

/** What is typed, as a value of its field; `undefined`: nothing is, or nothing was changed. What is not shown is not taken away by leaving its field. */
export function typedNow(form: FormState): TypedValue | undefined {
	const field = currentField(form);
	if (!form.editing || !field) {
		return undefined;
	}

	const typed = typingValue(form.editing);
	return typed === typedText(field, form.values[field.key]) ? undefined : typedValue(field, typed);
}

/** Ends typing; what was typed becomes the value, also where it cannot be one: its problem says so. */
export function endEditing(form: FormState): FormState {
	const field = currentField(form);
	const typed = typedNow(form);
	const rest = leaveEditing(form);
	return form.editing && field && typed
		? withValue(rest, field.key, typed.ok ? typed.value : typingValue(form.editing))
		: rest;
}

/** Ends typing; the value stays what it was. */
export function leaveEditing(form: FormState): FormState {
	const {editing: _, ...rest} = form;
	return rest;
}

const changeTyping = (
	form: FormState,
	update: (typing: Typing, maxLine: number | undefined) => Typing,
): FormState =>
	form.editing ? {...form, editing: update(form.editing, currentField(form)?.maxLine)} : form;

/** Gives a key to what is typed. */
export const typeInto = (form: FormState, key: Pick<KeyEvent, 'id' | 'text'>): FormState =>
	changeTyping(
		form,
		(typing, maxLine) =>
			(isArea(typing) ? editArea(typing, key) : editLine(typing, key, maxLine)) ?? typing,
	);

/** Puts a paste where something is typed. */
export const pasteInto = (form: FormState, text: string): FormState =>
	changeTyping(form, (typing, maxLine) =>
		isArea(typing) ? insertArea(typing, text) : insertText(typing, text, maxLine),
	);

/** Whether nothing was filled in: leaving it loses nothing. */
export const isUntouched = ({fields, values, editing}: FormState): boolean =>
	editing === undefined &&
	fields.every(field => JSON.stringify(values[field.key]) === JSON.stringify(initialOf(field)));

/** The form with what its masked fields began with. */
export const withoutMasked = (form: FormState): FormState => ({
	...leaveEditing(form),
	values: Object.fromEntries(
		form.fields.map(field => [field.key, field.masked ? initialOf(field) : form.values[field.key]]),
	),
});

/** What is wrong with the form, by the key of the field; empty when it can be sent. */
export const problemsIn = ({fields, values}: FormState): ReadonlyMap<string, string> =>
	new Map(
		fields.flatMap(field => {
			const problem = fieldProblem(field, values[field.key]);
			return problem === undefined ? [] : [[field.key, problem] as const];
		}),
	);

/** The first field that keeps the form from being sent, with why. */
export function firstInvalidField(
	form: FormState,
): {readonly field: FieldRecord; readonly index: number; readonly problem: string} | undefined {
	const problems = problemsIn(form);
	const index = form.fields.findIndex(({key}) => problems.has(key));
	const field = form.fields[index];
	return field && {field, index, problem: problems.get(field.key) ?? ''};
}

/** A text of one line or of several while it is typed. */
export type Typing = LineText | AreaText;

/** Whether it has several lines, in which Enter begins another one. */
export const isArea = (typing: Typing): typing is AreaText => 'lines' in typing;

/** What was typed so far. */
const typingValue = (typing: Typing): string => (isArea(typing) ? areaValue(typing) : typing.value);
