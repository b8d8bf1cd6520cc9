import type {FormField} from '../approval.ts';
import type {JsonObject, JsonValue} from '../json.ts';

/** Longest text of one field, characters. */
const maxTextLength = 10_000;

/** The problem with the content of a form, naming the field but never the value; `undefined`: none. */
export function contentProblem(
	fields: readonly FormField[],
	content: JsonObject,
): string | undefined {
	const known = new Set(fields.map(({key}) => key));
	if (Object.keys(content).some(key => !known.has(key))) {
		return 'the form has no field of a name that was filled in';
	}

	for (const field of fields) {
		const value = Object.hasOwn(content, field.key) ? content[field.key] : undefined;
		const problem = value === undefined ? missingProblem(field) : valueProblem(field, value);
		if (problem !== undefined) {
			return `field "${field.title || field.key}" ${problem}`;
		}
	}

	return undefined;
}

const missingProblem = ({required}: FormField): string | undefined =>
	required ? 'must be filled in' : undefined;

function valueProblem(field: FormField, value: JsonValue): string | undefined {
	switch (field.kind) {
		case 'text':
			return typeof value === 'string' ? textProblem(field, value) : 'must be a text';

		case 'number':
		case 'integer':
			return numberProblem(field, value);

		case 'boolean':
			return typeof value === 'boolean' ? undefined : 'must be true or false';

		case 'choice':
			return isOption(field, value) ? undefined : 'must be one of its options';

		case 'choices':
			return choicesProblem(field, value);
	}
}

function textProblem(field: FormField, text: string): string | undefined {
	const {least = 0, most = maxTextLength, required, format} = field;
	// Counts code points, like JSON Schema.
	const {length} = Array.from(text.slice(0, maxTextLength * 2 + 1));
	if (required && text === '') {
		return 'must be filled in';
	}

	if (length < least || length > Math.min(most, maxTextLength)) {
		return `must have ${least} to ${Math.min(most, maxTextLength)} characters`;
	}

	const isFormat = format === undefined ? undefined : formats[format];
	return isFormat?.(text) === false ? `must be a ${format}` : undefined;
}

const formats: Readonly<Record<string, ((text: string) => boolean) | undefined>> = {
	email: text => /^[^\s@]{1,64}@[^\s@.][^\s@]{0,252}$/.test(text),
	uri: text => /^[a-z][\w+.-]*:\S+$/i.test(text) && URL.canParse(text),
	date: isDate,
	'date-time': text =>
		/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
		!Number.isNaN(Date.parse(text)),
};

function isDate(text: string): boolean {
	const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
	// `Date.parse` reads 31 February as a day in March.
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function numberProblem({kind, least, most}: FormField, value: JsonValue): string | undefined {
	if (typeof value !== 'number' || !Number.isFinite(value)) {
		return 'must be a number';
	}

	if (kind === 'integer' && !Number.isInteger(value)) {
		return 'must be a whole number';
	}

	if (least !== undefined && value < least) {
		return `must be at least ${least}`;
	}

	return most !== undefined && value > most ? `must be at most ${most}` : undefined;
}

const isOption = ({options = []}: FormField, value: JsonValue): boolean =>
	options.some(option => option.value === value);

function choicesProblem(field: FormField, value: JsonValue): string | undefined {
	const {least = 0, most = field.options?.length ?? 0} = field;
	if (!Array.isArray(value) || !value.every((item: JsonValue) => isOption(field, item))) {
		return 'must be a list of its options';
	}

	if (new Set(value).size < value.length) {
		return 'must name no option twice';
	}

	return value.length < least || value.length > most
		? `must have ${least} to ${most} of its options`
		: undefined;
}
