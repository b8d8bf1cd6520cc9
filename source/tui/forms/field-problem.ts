import type {FormField} from '../../core/approval.ts';

/** What a person has put into a field so far; a text that is empty is none. */
export type FieldValue = string | boolean | readonly string[] | undefined;

/** Why a field cannot be sent as it is; `undefined` when it can. The gateway looks again. */
export function fieldProblem(field: FormField, value: FieldValue): string | undefined {
	const isEmpty =
		value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
	if (isEmpty) {
		return field.required ? 'is needed' : undefined;
	}

	switch (field.kind) {
		case 'text':
			return textProblem(field, String(value));
		case 'number':
		case 'integer':
			return numberProblem(field, String(value));
		case 'choices':
			return boundProblem(field, {size: Array.isArray(value) ? value.length : 0, unit: ' options'});
		case 'boolean':
		case 'choice':
			return undefined;
	}
}

function textProblem(field: FormField, value: string): string | undefined {
	const wanted = field.format === undefined ? undefined : formats[field.format];
	return wanted && !wanted.test(value)
		? `is no ${field.format}`
		: boundProblem(field, {size: Array.from(value).length, unit: ' characters'});
}

const formats: Readonly<Record<string, RegExp>> = {
	email: /^[^\s@]+@[^\s@]+$/,
	uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
	date: /^\d{4}-\d{2}-\d{2}$/,
	'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/i,
};

function numberProblem(field: FormField, value: string): string | undefined {
	const number = Number(value);
	if (value.trim() === '' || !Number.isFinite(number)) {
		return 'is no number';
	}

	return field.kind === 'integer' && !Number.isInteger(number)
		? 'is no whole number'
		: boundProblem(field, {size: number, unit: ''});
}

function boundProblem(
	{least, most}: FormField,
	{size, unit}: {readonly size: number; readonly unit: string},
): string | undefined {
	if (least !== undefined && size < least) {
		return `at least ${least}${unit}`;
	}

	return most !== undefined && size > most ? `at most ${most}${unit}` : undefined;
}
