import {
	type JsonObject,
	type JsonValue,
	isJsonObject,
	jsonOrText,
	parsedJson,
} from '../core/json.ts';
import type {FieldKind, FieldRecord, FieldValue, FieldReading, TypedValue} from './field.ts';

/** The definition of a kind of field. */
type Kind = FieldReading & {
	/** How the field is entered: typing one line or several, cycling through few values, or selecting some options. */
	readonly entry: 'line' | 'area' | 'turn' | 'options';
	/** Why an existing value is invalid. */
	readonly problem: (field: FieldRecord, value: JsonValue) => string | undefined;
};

const takes = (value: FieldValue): TypedValue => ({ok: true, value});
const refuses = (problem: string): TypedValue => ({ok: false, problem});

const isBlank = (text: string): boolean => text.trim() === '';

const plain = (value: JsonValue): string =>
	typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const never = (): undefined => undefined;

const text: Kind = {
	entry: 'line',
	typed: plain,
	taken: typed => takes(typed === '' ? undefined : typed),
	problem: textProblem,
};

const number: Kind = {
	entry: 'line',
	typed: plain,
	taken(typed) {
		if (isBlank(typed)) {
			return takes(undefined);
		}

		return Number.isFinite(Number(typed)) ? takes(Number(typed)) : refuses('is no number');
	},
	problem: numberProblem,
};

const turned: Kind = {
	entry: 'turn',
	typed: plain,
	taken: text.taken,
	problem: never,
};

/** Every kind. */
const kinds: Readonly<Record<FieldKind, Kind>> = {
	text,
	lines: {...text, entry: 'area', taken: typed => takes(isBlank(typed) ? undefined : typed)},
	number,
	integer: number,
	boolean: turned,
	choice: turned,
	choices: {
		...turned,
		entry: 'options',
		problem: (field, value) =>
			boundProblem(field, {size: Array.isArray(value) ? value.length : 0, unit: ' options'}),
	},
	texts: {
		entry: 'line',
		typed: value =>
			Array.isArray(value) && value.every(isPlainItem) ? value.join(', ') : plain(value),
		taken: typed => takes(isBlank(typed) ? undefined : listOf(typed)),
		problem: never,
	},
	mapping: {
		entry: 'area',
		typed: value =>
			isJsonObject(value)
				? Object.entries(value)
						.map(
							([key, member]) => `${key}: ${isPlainText(member) ? member : JSON.stringify(member)}`,
						)
						.join('\n')
				: plain(value),
		taken: typed => (isBlank(typed) ? takes(undefined) : mappingOf(typed)),
		problem: never,
	},
	json: {
		entry: 'area',
		typed: plain,
		taken: typed => (isBlank(typed) ? takes(undefined) : jsonOf(typed)),
		problem: never,
	},
};

/** How a field is entered. */
export const fieldEntryOf = ({kind}: Pick<FieldRecord, 'kind'>): Kind['entry'] => kinds[kind].entry;

/** Whether a field is filled in by typing. */
export const isTyped = (field: Pick<FieldRecord, 'kind'>): boolean =>
	fieldEntryOf(field) === 'line' || fieldEntryOf(field) === 'area';

/** A value as text to edit. Secrets start empty. */
export const typedText = (
	{kind, masked, own = kinds[kind]}: Pick<FieldRecord, 'kind' | 'masked' | 'own'>,
	value: FieldValue,
): string => (value === undefined || value === null || masked ? '' : own.typed(value));

/** Parses typed text to a value; empty text yields none. A secret is a single text, even with commas. */
export const typedValue = (
	{kind, masked, own = kinds[kind]}: Pick<FieldRecord, 'kind' | 'masked' | 'own'>,
	typed: string,
): TypedValue => (masked && kind === 'texts' ? text.taken(typed.trim()) : own.taken(typed));

/** Why text that was stored as typed is not a valid value of its field; `undefined` if it is. */
export function typedProblem(field: FieldRecord, value: FieldValue): string | undefined {
	// JSON text may be a plain word, too.
	const isText =
		typeof value === 'string' &&
		!field.masked &&
		(field.kind !== 'json' || field.own !== undefined || /^\s*[{["]/.test(value));
	const read = isText ? typedValue(field, value) : undefined;
	return read?.ok === false ? read.problem : undefined;
}

/** Why a field cannot be sent; `undefined` if it can. The gateway validates again. */
export function fieldProblem(field: FieldRecord, value: FieldValue): string | undefined {
	const isEmpty =
		value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
	if (isEmpty) {
		return field.required ? 'is needed' : undefined;
	}

	const read = field.own && typeof value === 'string' ? field.own.taken(value) : undefined;
	return read?.ok === false ? read.problem : kinds[field.kind].problem(field, value);
}

/** The values to send; empty ones are left out. */
export const contentOf = ({
	fields,
	values,
}: {
	readonly fields: readonly FieldRecord[];
	readonly values: Readonly<Record<string, FieldValue>>;
}): JsonObject =>
	Object.fromEntries(
		fields.flatMap(field => {
			const value = sentValue(field, values[field.key]);
			return value === undefined ? [] : [[field.key, value]];
		}),
	);

function sentValue({kind, required, own}: FieldRecord, value: FieldValue): JsonValue | undefined {
	if (value === undefined || value === '' || value === null) {
		return undefined;
	}

	if (Array.isArray(value)) {
		return value.length === 0 && !required ? undefined : value;
	}

	if (own?.sent && typeof value === 'string') {
		return own.sent(value);
	}

	return kind === 'number' || kind === 'integer' ? Number(value) : value;
}

function textProblem(field: FieldRecord, value: JsonValue): string | undefined {
	const wanted = field.format === undefined ? undefined : formats[field.format];
	const written = plain(value);
	return wanted && !wanted.test(written)
		? `is no ${field.format}`
		: boundProblem(field, {size: Array.from(written).length, unit: ' characters'});
}

const formats: Readonly<Record<string, RegExp>> = {
	email: /^[^\s@]+@[^\s@]+$/,
	uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
	date: /^\d{4}-\d{2}-\d{2}$/,
	'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/i,
};

function numberProblem(field: FieldRecord, value: JsonValue): string | undefined {
	const size = Number(value);
	if (plain(value).trim() === '' || !Number.isFinite(size)) {
		return 'is no number';
	}

	return field.kind === 'integer' && !Number.isInteger(size)
		? 'is no whole number'
		: boundProblem(field, {size, unit: ''});
}

function boundProblem(
	{least, most}: FieldRecord,
	{size, unit}: {readonly size: number; readonly unit: string},
): string | undefined {
	if (least !== undefined && size < least) {
		return `at least ${least}${unit}`;
	}

	return most !== undefined && size > most ? `at most ${most}${unit}` : undefined;
}

const isPlainItem = (item: JsonValue): item is string =>
	typeof item === 'string' && !item.includes(',') && item.trim() === item;

/** Text that parses back as the same text. */
const isPlainText = (value: JsonValue): value is string =>
	typeof value === 'string' &&
	value.trim() === value &&
	!value.includes('\n') &&
	parsedJson(value) === undefined;

function listOf(typed: string): JsonValue {
	const whole = typed.trim().startsWith('[') ? parsedJson(typed) : undefined;
	return Array.isArray(whole)
		? whole
		: typed
				.split(',')
				.map(item => item.trim())
				.filter(item => item !== '');
}

function mappingOf(typed: string): TypedValue {
	const lines = typed.split('\n').filter(line => line.trim() !== '');
	const pairs = lines.map(line => /^\s*([^:\s][^:]*?)\s*:\s*(.*?)\s*$/.exec(line));
	const wrong = pairs.indexOf(null);
	return wrong === -1
		? takes(Object.fromEntries(pairs.map(pair => [pair?.[1] ?? '', jsonOrText(pair?.[2] ?? '')])))
		: refuses(`has no "key: value" in line ${wrong + 1}`);
}

/** JSON, or a single word without quotes. */
function jsonOf(typed: string): TypedValue {
	const value = parsedJson(typed);
	if (value !== undefined) {
		return takes(value);
	}

	return /^[\w.-]+$/.test(typed.trim()) ? takes(typed.trim()) : refuses('is no JSON');
}
