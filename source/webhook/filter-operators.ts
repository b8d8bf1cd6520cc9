import type {FilterSpec} from '../config/route.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {compileLinear} from '../core/linear-regex.ts';
import {deepEqual} from './deep-equal.ts';

/** Whether a field's value passes; `undefined` when the field is missing. */
export type ValueTest = (value: JsonValue | undefined) => boolean;

/** Whether the file at `path` holds `value`. Never throws: an unusable file holds nothing. */
export type HoldsValue = (path: string, value: JsonValue) => boolean;

/** One operator of a filter, ready to be asked. */
export type Operator = {
	readonly name: string;
	readonly expected: JsonValue;
	readonly test: ValueTest;
};

/**
 * The operators of one filter object, all of which must hold. A missing field satisfies only `missing: true`, `exists: false`
 * and `not_equals`.
 *
 * @see manual/filters-and-templates.md#filters
 */
export function compileOperators(spec: FilterSpec, holdsValue: HoldsValue): readonly Operator[] {
	const operators: Operator[] = [];
	const add = <Expected extends JsonValue>(
		name: string,
		expected: Expected | undefined,
		compile: (expected: Expected) => ValueTest,
	) => {
		if (expected !== undefined) {
			operators.push({name, expected, test: compile(expected)});
		}
	};

	add('exists', spec.exists, wanted => value => (value !== undefined) === wanted);
	add('missing', spec.missing, wanted => value => (value === undefined) === wanted);
	add('equals', spec.equals, wanted => value => value !== undefined && deepEqual(value, wanted));
	add(
		'not_equals',
		spec.not_equals,
		unwanted => value => value === undefined || !deepEqual(value, unwanted),
	);
	add('contains', spec.contains, wanted => value => contains(value, wanted));
	add(
		'in',
		spec.in,
		wanted => value => value !== undefined && wanted.some(candidate => deepEqual(value, candidate)),
	);
	add('in_file', spec.in_file, path => value => value !== undefined && holdsValue(path, value));
	add('regex', spec.regex, matchesPattern);
	return operators;
}

/** Substring for strings, membership for lists, key membership for mappings. */
function contains(value: JsonValue | undefined, wanted: JsonValue): boolean {
	if (typeof value === 'string') {
		return typeof wanted === 'string' && value.includes(wanted);
	}

	if (isJsonObject(value)) {
		return typeof wanted === 'string' && Object.hasOwn(value, wanted);
	}

	return Array.isArray(value) && value.some((item: JsonValue) => deepEqual(item, wanted));
}

function matchesPattern(pattern: string): ValueTest {
	const expression = compileLinear(pattern);
	return value => {
		const text = patternSubject(value);
		return text !== undefined && expression.test(text);
	};
}

/** Strings as they are, numbers and booleans as JSON writes them; patterns match nothing else. */
function patternSubject(value: JsonValue | undefined): string | undefined {
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
