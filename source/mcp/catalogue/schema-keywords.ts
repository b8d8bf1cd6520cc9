import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {visibleText} from '../../core/visible-text.ts';

/** Converts a keyword's value for models; `undefined` drops the keyword. */
type Keep = (value: unknown) => JsonValue | undefined;

const maxTextLength = 8000;
const maxPatternLength = 1000;
const maxValueLength = 10_000;
const maxValues = 1000;

const text: Keep = value =>
	typeof value === 'string' ? visibleText(value.slice(0, maxTextLength)) : undefined;

const shortText: Keep = value =>
	typeof value === 'string' && value.length <= maxPatternLength && visibleText(value) === value
		? value
		: undefined;

const number: Keep = value => (Number.isFinite(value) ? Number(value) : undefined);

const flag: Keep = value => (typeof value === 'boolean' ? value : undefined);

/** Keeps a value unchanged; drops one with invisible characters, which a model could neither read nor repeat. */
const exactly: Keep = value => {
	const json = JSON.stringify(value) ?? '';
	const isPlain =
		json.length <= maxValueLength && visibleText(json) === json && !/\\(?:u00|[bfr])/.test(json);
	return isPlain && isJsonValue(value) ? value : undefined;
};

const isJsonValue = (value: unknown): value is JsonValue => value !== undefined;

const list: Keep = value => {
	const values = Array.isArray(value) ? value.slice(0, maxValues).map(exactly) : [];
	const kept = values.filter(isKept);
	return kept.length > 0 ? kept : undefined;
};

const isKept = (value: JsonValue | undefined): value is JsonValue => value !== undefined;

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const isTypeName = (name: unknown): name is string =>
	typeof name === 'string' && typeNames.has(name);

const type: Keep = value => {
	const names = [...new Set([value].flat().filter(isTypeName))];
	return names.length > 1 ? names : names[0];
};

/** Keywords without subschemas that model APIs know, in output order. */
export const plainKeywords: ReadonlyArray<readonly [keyword: string, keep: Keep]> = [
	['type', type],
	['title', text],
	['description', text],
	['enum', list],
	['const', exactly],
	['default', exactly],
	['examples', list],
	['format', shortText],
	['pattern', shortText],
	['minimum', number],
	['maximum', number],
	['exclusiveMinimum', number],
	['exclusiveMaximum', number],
	['multipleOf', number],
	['minLength', number],
	['maxLength', number],
	['minItems', number],
	['maxItems', number],
	['uniqueItems', flag],
	['minProperties', number],
	['maxProperties', number],
];

/** Whether model APIs accept an argument of this name. */
export const isArgumentName = (name: string): boolean =>
	/^[\w.-]{1,64}$/.test(name) && name !== '__proto__';

/** Turns `anyOf: [X, null]` into a nullable X, if X has one type: APIs interpret the `anyOf` differently. */
export function withoutNullBranch(
	schema: Readonly<Record<string, JsonValue>>,
	keyword: 'anyOf' | 'oneOf',
): Readonly<Record<string, JsonValue>> {
	const {[keyword]: branches, ...beside} = schema;
	const [first, second, ...more] = Array.isArray(branches) ? branches : [];
	const other = [first, second].find(branch => !isNullType(branch));
	const hasNull = [first, second].some(isNullType);
	if (!hasNull || more.length > 0 || !isJsonObject(other) || typeof other['type'] !== 'string') {
		return schema;
	}

	const values = other['enum'];
	return Object.hasOwn(other, 'const')
		? schema
		: {
				...other,
				...beside,
				type: [other['type'], 'null'],
				...(Array.isArray(values) ? {enum: [...values, null]} : {}),
			};
}

const isNullType = (branch: unknown): boolean =>
	isJsonObject(branch) && branch['type'] === 'null' && Object.keys(branch).length === 1;
