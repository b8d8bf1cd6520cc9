import type {FilterSpec} from '../config/route.ts';
import {isJsonObject, type JsonValue, maxJsonDepth} from '../core/json.ts';
import {compileLinear} from '../core/linear-regex.ts';

/** Whether the value of a field passes; `undefined` for a missing field. */
type ValueTest = (value: JsonValue | undefined) => boolean;

/** Whether the file at `path` holds `value`. Never throws: an unusable file holds nothing. */
export type HoldsValue = (path: string, value: JsonValue) => boolean;

/** One compiled operator of a filter. */
type Operator = {
	readonly name: string;
	readonly expected: JsonValue;
	readonly test: ValueTest;
};

/**
 * Compiles the operators of one filter; all of them must hold. A missing field satisfies only `missing: true`, `exists: false`
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

/** Whether a string contains a substring, a list an item, or an object a key. */
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

/** The text to match with a pattern: a string, or a number or boolean in JSON form; `undefined` for other values, which match no pattern. */
function patternSubject(value: JsonValue | undefined): string | undefined {
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * Whether two JSON values have the same type and content, in any order of keys. Values nested deeper than 128 levels are unequal, so that no payload exhausts the stack. Pass
 * the trusted value as `right`: the keys of an untrusted `left` are counted only if it has all keys of `right`.
 *
 * @see manual/receiver.md#order-of-decisions
 */
export function deepEqual(left: JsonValue, right: JsonValue, depth = 0): boolean {
	if (left === right) {
		return true;
	}

	if (depth > maxJsonDepth) {
		return false;
	}

	if (Array.isArray(left)) {
		return Array.isArray(right) && equalLists(left, right, depth);
	}

	return isJsonObject(left) && isJsonObject(right) && equalObjects([left, right], depth);
}

const equalLists = (left: readonly JsonValue[], right: readonly JsonValue[], depth: number) =>
	left.length === right.length &&
	left.every((item, index) => deepEqual(item, right[index] ?? null, depth + 1));

function equalObjects(
	[left, right]: readonly [
		Readonly<Record<string, JsonValue>>,
		Readonly<Record<string, JsonValue>>,
	],
	depth: number,
): boolean {
	const keys = Object.keys(right);
	return (
		keys.every(
			key =>
				Object.hasOwn(left, key) && deepEqual(left[key] ?? null, right[key] ?? null, depth + 1),
		) && keys.length === Object.keys(left).length
	);
}
