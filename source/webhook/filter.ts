import type {FilterSpec, Route} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import {compilePayloadPath} from '../core/payload.ts';
import {compileOperators, type HoldsValue} from './filter-operators.ts';
import {isStoredHeader, headerOf, type RequestHeaders} from './request-content.ts';

/** A filter entry that did not match. Holds untrusted text: clean it before it is shown. */
type Mismatch = {
	/** The path of the entry in the configuration: `filters[1]`, `filters[0].any`. */
	readonly path: string;
	/** Field and operator: `action equals`; only the operator for groups. */
	readonly rule: string;
	readonly expected: string;
	readonly got: string;
};

/** Returns the first mismatch; `undefined` when the event passes. */
export type FilterCheck = (context: FilterContext) => Mismatch | undefined;

/**
 * Compiles the filters of a route; every entry must match. Pure apart from `holdsValue`.
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

	// Such entries are refused when the configuration is read; if one gets here, it never matches.
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

/** A short description of a value: text quoted and cut, lists by their length. */
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

/** The input of a filter. */
export type FilterContext = {
	readonly payload: JsonValue;
	/** Resolved event type. */
	readonly event: string;
	readonly headers: RequestHeaders;
};

/** Reads one field; `undefined` when it is missing. */
export type FieldReader = (context: FilterContext) => JsonValue | undefined;

const headersPrefix = 'headers.';

/** The lower-case name of the header that `field` reads, or `undefined`. */
const headerNameOf = (field: string): string | undefined =>
	field.startsWith(headersPrefix) ? field.slice(headersPrefix.length).toLowerCase() : undefined;

/**
 * Compiles a field path: the event type, a header, else a field of the payload.
 *
 * @see manual/filters-and-templates.md#filters, manual/receiver.md#order-of-decisions
 */
export function compileField(field: string): FieldReader {
	if (field === 'event' || field === 'event_type') {
		return ({event}) => event;
	}

	const header = headerNameOf(field);
	if (header !== undefined) {
		return ({headers}) => headerOf(headers, header);
	}

	const read = compilePayloadPath(field);
	return ({payload}) => read(payload);
}

/** Most headers to store in addition to the usual ones. */
const maxKept = 20;

const maxNameLength = 256;

/** Names of headers that may hold a credential. */
const secretName =
	/auth|cookie|credential|csrf|digest|hmac|jwt|passw|secret|session|signature|token|(?:^|-)sig(?:-|$)|(?:api|access|private|shared)-?key/;

/** Headers that `filters` read, except those stored with every delivery: lower-case names, each once. */
export const filterHeadersOf = (filters: readonly FilterSpec[]): readonly string[] => [
	...new Set(filters.flatMap(headersIn)),
];

function headersIn({field = '', all = [], any = [], not = []}: FilterSpec): readonly string[] {
	const header = headerNameOf(field);
	const own = header === undefined || isStoredHeader(header) ? [] : [header];
	const inner = [...all, ...any, ...('length' in not ? not : [not])];
	return [...own, ...inner.flatMap(headersIn)];
}

/**
 * Headers to store with the deliveries of a route in addition to the usual ones: those that its filters read, and those that name the event, so that a replay has the same
 * result. At most 20; never the signature, nor a header whose name suggests a credential.
 */
export const keptHeadersOf = ({
	filters,
	signature,
	eventHeaders = [],
}: Pick<Route, 'filters' | 'signature' | 'eventHeaders'>): readonly string[] =>
	[...new Set([...eventHeaders.filter(name => !isStoredHeader(name)), ...filterHeadersOf(filters)])]
		.filter(name => name !== '' && name.length <= maxNameLength && !secretName.test(name))
		.filter(name => name !== signature?.header)
		.slice(0, maxKept);

/** Headers that the filters of a route read but the stored `headers` lack: the sender did not send them, or they were not stored. */
export const headersNotKept = (
	{filters}: Pick<Route, 'filters'>,
	headers: RequestHeaders,
): readonly string[] => filterHeadersOf(filters).filter(name => !Object.hasOwn(headers, name));
