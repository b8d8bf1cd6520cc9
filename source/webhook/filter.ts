import type {FilterSpec} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import {compileField, headerNameOf} from './field-path.ts';
import type {FilterContext} from './field-path.ts';
import {compileOperators} from './filter-operators.ts';
import type {HoldsValue} from './filter-operators.ts';
import {isStoredHeader} from './headers.ts';

/** The entry that did not match. Holds strangers' text: clean it before it is shown. */
export type Mismatch = {
	/** Where in the configuration: `filters[1]`, `filters[0].any`. */
	readonly path: string;
	/** `action equals`; for groups only the operator. */
	readonly rule: string;
	readonly expected: string;
	readonly got: string;
};

/** `undefined` when the event passes. */
export type FilterCheck = (context: FilterContext) => Mismatch | undefined;

/**
 * Turns the filters of a route into one check, to be made once: every entry must match. Pure apart from `holdsValue`.
 *
 * @see manual/filters-and-templates.md#filters
 */
export const compileFilters = (specs: readonly FilterSpec[], holdsValue: HoldsValue): FilterCheck =>
	allOf(specs.map((spec, index) => compileEntry(spec, `filters[${index}]`, holdsValue)));

/** One line for a trace. */
export const explainMismatch = ({path, rule, expected, got}: Mismatch): string =>
	`${path} ${rule} ${expected}: got ${got}`;

function allOf(checks: readonly FilterCheck[]): FilterCheck {
	return context => {
		for (const check of checks) {
			const mismatch = check(context);
			if (mismatch) {
				return mismatch;
			}
		}

		return undefined;
	};
}

function compileEntry(spec: FilterSpec, path: string, holdsValue: HoldsValue): FilterCheck {
	const group = (specs: readonly FilterSpec[], name: string) =>
		specs.map((member, index) => compileEntry(member, `${path}.${name}[${index}]`, holdsValue));
	const checks: FilterCheck[] = [];
	if (spec.field !== undefined) {
		checks.push(checkField(spec.field, {spec, path, holdsValue}));
	}

	if (spec.all) {
		checks.push(allOf(group(spec.all, 'all')));
	}

	if (spec.any) {
		checks.push(anyOf(group(spec.any, 'any'), path));
	}

	if (spec.not) {
		checks.push(noneOf(allOf(group('length' in spec.not ? spec.not : [spec.not], 'not')), path));
	}

	// An entry that asks nothing is a mistake that the configuration refuses; here it fails closed.
	return checks.length === 0 ? () => empty(path) : allOf(checks);
}

const empty = (path: string): Mismatch => ({
	path,
	rule: 'has',
	expected: 'an operator',
	got: 'none',
});

function anyOf(checks: readonly FilterCheck[], path: string): FilterCheck {
	const mismatch: Mismatch = {
		path,
		rule: 'any',
		expected: `of ${checks.length}`,
		got: 'no match',
	};
	return context => (checks.some(check => !check(context)) ? undefined : mismatch);
}

function noneOf(check: FilterCheck, path: string): FilterCheck {
	const mismatch: Mismatch = {path, rule: 'not', expected: 'to match', got: 'a match'};
	return context => (check(context) ? undefined : mismatch);
}

function checkField(
	field: string,
	{
		spec,
		path,
		holdsValue,
	}: {readonly spec: FilterSpec; readonly path: string; readonly holdsValue: HoldsValue},
): FilterCheck {
	const read = compileField(field);
	const header = headerNameOf(field);
	const isShown = header === undefined || isStoredHeader(header);
	const operators = compileOperators(spec, holdsValue).map(({name, expected, test}) => ({
		rule: `${field} ${name}`,
		expected: describe(expected),
		test,
	}));
	if (operators.length === 0) {
		return () => empty(path);
	}

	return context => {
		const value = read(context);
		for (const {rule, expected, test} of operators) {
			if (!test(value)) {
				const got = value === undefined || isShown ? describe(value) : 'a value that is not shown';
				return {path, rule, expected, got};
			}
		}

		return undefined;
	};
}

const maxShownLength = 80;

/** A value in a few words: text quoted and cut, containers by their size. */
function describe(value: JsonValue | undefined): string {
	if (value === undefined) {
		return 'nothing';
	}

	if (typeof value === 'string') {
		return value.length > maxShownLength
			? `${JSON.stringify(value.slice(0, maxShownLength))}… (${value.length} characters)`
			: JSON.stringify(value);
	}

	if (typeof value !== 'object' || value === null) {
		return String(value);
	}

	return Array.isArray(value) ? describeList(value) : 'an object';
}

const shownItems = 5;

function describeList(list: readonly JsonValue[]): string {
	const plain = list.slice(0, shownItems).filter(item => typeof item !== 'object' || item === null);
	return list.length <= shownItems && plain.length === list.length
		? `[${plain.map(item => describe(item)).join(', ')}]`
		: `a list of ${list.length}`;
}
