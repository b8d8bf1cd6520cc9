import type {FilterSpec, Route} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import {compilePayloadPath} from '../core/payload.ts';
import {compileOperators, type HoldsValue} from './filter-operators.ts';
import {isStoredHeader, headerOf, type RequestHeaders} from './request-content.ts';

/** The entry that did not match. Holds strangers' text: clean it before it is shown. */
type Mismatch = {
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

/** What a filter looks at. */
export type FilterContext = {
	readonly payload: JsonValue;
	/** Resolved event type. */
	readonly event: string;
	readonly headers: RequestHeaders;
};

/** Reads one field; `undefined` when it is missing. */
export type FieldReader = (context: FilterContext) => JsonValue | undefined;

const headersPrefix = 'headers.';

/** The name of the header that `field` reads, lower case, or `undefined`. */
const headerNameOf = (field: string): string | undefined =>
	field.startsWith(headersPrefix) ? field.slice(headersPrefix.length).toLowerCase() : undefined;

/**
 * The reader of a field path, made once per filter: of the event type, of a header, else of the payload.
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

/** Headers beyond those that are kept anyway. */
const maxKept = 20;

const maxNameLength = 256;

/** What a header with a credential is called. */
const secretName =
	/auth|cookie|credential|csrf|digest|hmac|jwt|passw|secret|session|signature|token|(?:^|-)sig(?:-|$)|(?:api|access|private|shared)-?key/;

/** The headers that `filters` look at and that are not kept with every delivery: lower-case names, each once. */
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
 * Those of them, and those that name the event, that are kept with the deliveries of a route, so that a replay is the same event and its filters say the same of it: at most 20, and none
 * that holds a signature or, by its name, another credential.
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

/** The headers that the filters of a route look at and that `headers`, as they were kept, do not hold: nobody knows whether the sender sent them. */
export const headersNotKept = (
	{filters}: Pick<Route, 'filters'>,
	headers: RequestHeaders,
): readonly string[] => filterHeadersOf(filters).filter(name => !Object.hasOwn(headers, name));
