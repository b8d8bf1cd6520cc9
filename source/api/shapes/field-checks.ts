import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {badRequest, type ApiError} from '../http/api-error.ts';

/** Checks a value that is present. @throws ApiError 400, with `path` as the parameter */
export type FieldCheck = (value: JsonValue, path: string) => void;

/** A member of an object. `null` counts as absent, unless the member is required. */
type Member = FieldCheck | {readonly required: FieldCheck};

export const required = (check: FieldCheck): Member => ({required: check});

export const missing = (path: string): ApiError =>
	badRequest(`Cannot read the request: "${path}" is missing`, 'missing_required_parameter', path);

const invalidType = (path: string, wanted: string): ApiError =>
	badRequest(`Cannot read the request: "${path}" must be ${wanted}`, 'invalid_type', path);

const outOfRange = (path: string, wanted: string): ApiError =>
	badRequest(`Cannot read the request: "${path}" must be ${wanted}`, 'out_of_range', path);

/** @param why the end of the sentence `"n" cannot be served: there is one answer` */
export const unsupported = (path: string, why: string): ApiError =>
	badRequest(`Cannot serve the request: "${path}": ${why}`, 'unsupported_value', path);

/** Refuses any value. */
export const never =
	(why: string): FieldCheck =>
	(_value, path) => {
		throw unsupported(path, why);
	};

export const textCheck: FieldCheck = (value, path) => {
	if (typeof value !== 'string') {
		throw invalidType(path, 'a text');
	}
};

/** The value if it is a text, otherwise an empty text. */
export const textIn = (value: JsonValue | undefined): string =>
	typeof value === 'string' ? value : '';

export const booleanCheck: FieldCheck = (value, path) => {
	if (typeof value !== 'boolean') {
		throw invalidType(path, 'true or false');
	}
};

/** A number from `least` to `most`. */
export const numberCheck =
	(least: number, most: number): FieldCheck =>
	(value, path) => {
		if (typeof value !== 'number') {
			throw invalidType(path, 'a number');
		}

		if (value < least || value > most) {
			throw outOfRange(path, `from ${least} to ${most}`);
		}
	};

/** A number without a fraction. */
export const whole =
	(least: number, most: number): FieldCheck =>
	(value, path) => {
		if (!Number.isInteger(value)) {
			throw invalidType(path, 'a whole number');
		}

		numberCheck(least, most)(value, path);
	};

/** One of these texts. */
export const oneOf =
	(values: readonly string[]): FieldCheck =>
	(value, path) => {
		textCheck(value, path);
		if (!values.includes(textIn(value))) {
			throw unsupported(path, `it must be one of ${values.join(', ')}`);
		}
	};

/** A list of `least` to `most` members. */
export const listOf =
	(
		check: FieldCheck,
		{least = 0, most = Infinity}: {least?: number; most?: number} = {},
	): FieldCheck =>
	(value, path) => {
		if (!isList(value)) {
			throw invalidType(path, 'a list');
		}

		if (value.length < least || value.length > most) {
			throw outOfRange(
				path,
				most === Infinity ? `a list of at least ${least}` : `a list of ${least} to ${most}`,
			);
		}

		for (const [index, member] of value.entries()) {
			check(member, `${path}[${index}]`);
		}
	};

/** An object with at least these members; others are not looked at. */
export const objectCheck =
	(members: Readonly<Record<string, Member>>): FieldCheck =>
	(value, path) => {
		if (!isJsonObject(value)) {
			throw invalidType(path, 'an object');
		}

		for (const [name, member] of Object.entries(members)) {
			checkMember(value, name, {member, path: path === '' ? name : `${path}.${name}`});
		}
	};

function checkMember(
	object: JsonObject,
	name: string,
	{member, path}: {readonly member: Member; readonly path: string},
): void {
	const value = Object.hasOwn(object, name) ? object[name] : undefined;
	const check = typeof member === 'function' ? member : member.required;
	if (value !== undefined && (value !== null || typeof member === 'object')) {
		check(value, path);
	} else if (typeof member === 'object') {
		throw missing(path);
	}
}

/** An object whose members are all of a kind, whatever their names. */
export const mapOf =
	(check: FieldCheck): FieldCheck =>
	(value, path) => {
		if (!isJsonObject(value)) {
			throw invalidType(path, 'an object');
		}

		for (const [name, member] of Object.entries(value)) {
			check(member, `${path}.${name.slice(0, 64)}`);
		}
	};

/** Applies the check for the value's type: a text, a list, or anything else. */
export const either =
	(
		checks: {readonly text?: FieldCheck; readonly list?: FieldCheck; readonly other?: FieldCheck},
		wanted: string,
	): FieldCheck =>
	(value, path) => {
		const check =
			typeof value === 'string'
				? checks.text
				: isList(value)
					? checks.list
					: isJsonObject(value)
						? checks.other
						: undefined;
		if (!check) {
			throw invalidType(path, wanted);
		}

		check(value, path);
	};

/** An object whose member `name` says which of `kinds` it is. */
export const kindOf =
	(name: string, kinds: Readonly<Record<string, FieldCheck>>): FieldCheck =>
	(value, path) => {
		objectCheck({[name]: required(textCheck)})(value, path);
		const kind = isJsonObject(value) ? textIn(value[name]) : '';
		const check = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
		if (!check) {
			throw unsupported(`${path}.${name}`, `it must be one of ${Object.keys(kinds).join(', ')}`);
		}

		check(value, path);
	};

export const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);
