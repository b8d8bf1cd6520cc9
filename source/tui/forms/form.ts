import type {FormField} from '../../core/approval.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {insertText, lineText, type LineText} from '../../terminal/text/line-editor.ts';
import {fieldProblem, type FieldValue} from './field-problem.ts';

/** A form that is being filled in. */
export type FormState = {
	readonly fields: readonly FormField[];
	readonly values: Readonly<Record<string, FieldValue>>;
	/** The field that keys act on. */
	readonly index: number;
	/** What is typed into that field; absent while keys move between fields. */
	readonly editing?: LineText;
	/** The option that keys act on, in a list of choices. */
	readonly option: number;
};

/** A form with what its fields begin with. */
export const newForm = (fields: readonly FormField[]): FormState => ({
	fields,
	values: Object.fromEntries(fields.map(field => [field.key, initialOf(field)])),
	index: 0,
	option: 0,
});

function initialOf({kind, initial, options = []}: FormField): FieldValue {
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
		case 'number':
		case 'integer':
			return typeof initial === 'string' || typeof initial === 'number' ? String(initial) : '';
	}
}

/** The field that keys act on. */
export const currentField = ({fields, index}: FormState): FormField | undefined => fields[index];

/** Whether a field holds what is typed. */
export const isTyped = ({kind}: FormField): boolean =>
	kind === 'text' || kind === 'number' || kind === 'integer';

const within = (index: number, length: number): number => Math.max(0, Math.min(index, length - 1));

/** One field, or one option of a list of choices, down or up. */
export function moveField(form: FormState, step: number): FormState {
	const field = currentField(form);
	const options = field?.kind === 'choices' ? (field.options ?? []) : [];
	const option = form.option + step;
	if (option >= 0 && option < options.length) {
		return {...form, option};
	}

	const index = within(form.index + step, form.fields.length);
	if (index === form.index) {
		return form;
	}

	return {...form, index, option: step < 0 ? lastOption(form.fields[index]) : 0};
}

const lastOption = (field: FormField | undefined): number =>
	field?.kind === 'choices' ? Math.max(0, (field.options?.length ?? 1) - 1) : 0;

/** The first field, or the last with the last of its options. */
export const endOf = (form: FormState, end: 'first' | 'last'): FormState =>
	end === 'first'
		? {...form, index: 0, option: 0}
		: {
				...form,
				index: Math.max(0, form.fields.length - 1),
				option: lastOption(form.fields.at(-1)),
			};

const withValue = (form: FormState, key: string, value: FieldValue): FormState => ({
	...form,
	values: {...form.values, [key]: value},
});

/** Types into a field, or takes its next value: yes and no, the next choice, an option on or off. */
export function actOnField(form: FormState): FormState {
	const field = currentField(form);
	return field && isTyped(field)
		? {...form, editing: lineText(textOf(form.values[field.key]))}
		: turnField(form, 1);
}

/** The next or the previous value of a field that is chosen. */
export function turnField(form: FormState, step: 1 | -1): FormState {
	const field = currentField(form);
	if (!field || isTyped(field)) {
		return form;
	}

	const value = form.values[field.key];
	const options = (field.options ?? []).map(option => option.value);
	if (field.kind === 'boolean') {
		return withValue(form, field.key, value !== true);
	}

	if (field.kind === 'choices') {
		const chosen = Array.isArray(value) ? value : [];
		const option = options[form.option] ?? '';
		return withValue(
			form,
			field.key,
			options.filter(one => (one === option ? !chosen.includes(one) : chosen.includes(one))),
		);
	}

	const at = options.indexOf(textOf(value));
	const next = at === -1 ? (step === 1 ? 0 : options.length - 1) : at + step;
	return withValue(form, field.key, options[(next + options.length) % options.length]);
}

const textOf = (value: FieldValue): string => (typeof value === 'string' ? value : '');

/** Ends typing; what was typed becomes the value. */
export function endEditing(form: FormState): FormState {
	const {editing, ...rest} = form;
	const field = currentField(form);
	return editing && field ? withValue(rest, field.key, editing.value) : rest;
}

/** Ends typing; the value stays what it was. */
export const leaveEditing = ({fields, values, index, option}: FormState): FormState => ({
	fields,
	values,
	index,
	option,
});

/** The form with what its masked fields began with. */
export const withoutSecrets = (form: FormState): FormState => ({
	...leaveEditing(form),
	values: Object.fromEntries(
		form.fields.map(field => [field.key, field.masked ? initialOf(field) : form.values[field.key]]),
	),
});

/** Puts a paste where something is typed. */
export const pasteInto = (form: FormState, text: string): FormState =>
	form.editing ? {...form, editing: insertText(form.editing, text)} : form;

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
): {readonly field: FormField; readonly index: number; readonly problem: string} | undefined {
	const problems = problemsIn(form);
	const index = form.fields.findIndex(({key}) => problems.has(key));
	const field = form.fields[index];
	return field && {field, index, problem: problems.get(field.key) ?? ''};
}

/** The values as they are sent; what was left empty is left out. */
export const contentOf = ({fields, values}: FormState): JsonObject =>
	Object.fromEntries(
		fields.flatMap(field => {
			const value = jsonOf(field, values[field.key]);
			return value === undefined ? [] : [[field.key, value]];
		}),
	);

function jsonOf({kind, required}: FormField, value: FieldValue): JsonValue | undefined {
	if (value === undefined || value === '') {
		return undefined;
	}

	if (typeof value === 'object') {
		return value.length === 0 && !required ? undefined : value;
	}

	return kind === 'number' || kind === 'integer' ? Number(value) : value;
}
