import type {FormField} from '../../core/approval.ts';
import {contentProblem} from '../../core/approvals/content-problem.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';

const maxFields = 50;
const maxOptions = 500;
const maxKeyLength = 200;

const formats = new Set(['email', 'uri', 'date', 'date-time']);

/** Words for secrets in names of fields. */
const secretWords =
	/pass(?:word|phrase|code|wd)|secret|token|credential|api[\s_-]?key|private[\s_-]?key|access[\s_-]?key|\bpin\b|\botp\b|\bcvv\b|\bcvc\b|\bssn\b/i;

/**
 * The fields of a form requested by a server; `undefined` if it cannot be shown completely: more than 50 fields, or a field of a kind unknown to the protocol.
 * Texts are escaped; keys and option values are not, because they are sent back.
 *
 * @see manual/approvals.md#forms; MCP 2025-11-25, elicitation, requested schema
 */
export function formFields(requestedSchema: unknown): readonly FormField[] | undefined {
	if (!isJsonObject(requestedSchema) || !isJsonObject(requestedSchema['properties'])) {
		return undefined;
	}

	const {properties, required} = requestedSchema;
	const needed = new Set<unknown>(Array.isArray(required) ? required : []);
	const entries = isJsonObject(properties) ? Object.entries(properties) : [];
	const fields = entries.map(([key, schema]) => fieldOf(key, schema, needed.has(key)));
	const known = fields.filter(field => field !== undefined);
	return known.length === fields.length && known.length <= maxFields ? known : undefined;
}

function fieldOf(key: string, schema: JsonValue, required: boolean): FormField | undefined {
	const kind = isJsonObject(schema) && key.length <= maxKeyLength ? kindOf(schema) : undefined;
	if (!kind || !isJsonObject(schema)) {
		return undefined;
	}

	const title = textOf(schema['title']) || key;
	const field: FormField = {
		...kind,
		key,
		title: escapeLine(title, 200),
		description: escapeBlock(textOf(schema['description']), {maxLength: 1000, maxLines: 10}),
		required,
		masked: secretWords.test(key) || secretWords.test(title),
	};
	const initial = schema['default'];
	const isFit =
		initial !== undefined &&
		initial !== null &&
		contentProblem([field], Object.fromEntries([[key, initial]])) === undefined;
	return isFit ? {...field, initial} : field;
}

type Kind = Pick<FormField, 'kind' | 'options' | 'format' | 'least' | 'most'>;

function kindOf(schema: JsonObject): Kind | undefined {
	switch (textOf(schema['type'])) {
		case 'boolean':
			return {kind: 'boolean'};

		case 'number':
			return {kind: 'number', ...bounds(schema['minimum'], schema['maximum'])};

		case 'integer':
			return {kind: 'integer', ...bounds(schema['minimum'], schema['maximum'])};

		case 'array': {
			const options = isJsonObject(schema['items']) ? optionsOf(schema['items']) : undefined;
			return (
				options && {kind: 'choices', options, ...bounds(schema['minItems'], schema['maxItems'])}
			);
		}

		case 'string':
			return kindOfText(schema);

		default:
			return undefined;
	}
}

function kindOfText(schema: JsonObject): Kind | undefined {
	if (schema['enum'] !== undefined || schema['oneOf'] !== undefined) {
		const options = optionsOf(schema);
		return options && {kind: 'choice', options};
	}

	const {format} = schema;
	return {
		kind: 'text',
		...(typeof format === 'string' && formats.has(format) ? {format} : {}),
		...bounds(schema['minLength'], schema['maxLength']),
	};
}

/** Options from `enum`, with titles in `enumNames`, or from constants with titles. */
function optionsOf(schema: JsonObject): FormField['options'] | undefined {
	const {enum: values, enumNames} = schema;
	const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
	const titled = schema['oneOf'] ?? schema['anyOf'];
	const pairs = Array.isArray(values)
		? values.map((value: unknown, index) => [value, names[index]] as const)
		: (Array.isArray(titled) ? titled : []).map((entry: unknown) => {
				const {const: value, title} = isJsonObject(entry) ? entry : {};
				return [value, title] as const;
			});
	const options = pairs.flatMap(([value, title]) =>
		typeof value === 'string' ? [{value, title: escapeLine(textOf(title) || value, 200)}] : [],
	);
	return options.length === pairs.length && options.length > 0 && options.length <= maxOptions
		? options
		: undefined;
}

const bounds = (least: unknown, most: unknown): Pick<FormField, 'least' | 'most'> => ({
	...(typeof least === 'number' && Number.isFinite(least) ? {least} : {}),
	...(typeof most === 'number' && Number.isFinite(most) ? {most} : {}),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
