import type {z} from 'zod';
import {nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';

type Issue = z.core.$ZodIssue;

/** The issues of a schema about `value`: sentences that follow the name of a key, and never hold a text value: it may be a secret. */
export const describeIssues = (
	issues: readonly Issue[],
	value: unknown,
): readonly UnplacedDiagnostic[] =>
	issues.flatMap(issue => describe(issue, valueAt(value, keysOf(issue))));

/** What is wrong with `value` first, in words that follow the name of its key; `undefined` when nothing is. */
export function firstProblem(schema: z.ZodType, value: unknown): string | undefined {
	const [first] = describeIssues(schema.safeParse(value).error?.issues ?? [], value);
	return (
		first &&
		[...(first.path.length > 0 ? [`"${first.path.join('.')}"`] : []), first.message].join(' ')
	);
}

function describe(issue: Issue, value: unknown): readonly UnplacedDiagnostic[] {
	const path = keysOf(issue);
	if (issue.code === 'invalid_union') {
		// The alternative that the value was meant to be: the one whose kind is right.
		const meant = issue.errors.find(errors =>
			errors.every(({path: inner, code}) => inner.length > 0 || code === 'unrecognized_keys'),
		);
		return meant
			? describeIssues(meant, value).map(inner => ({...inner, path: [...path, ...inner.path]}))
			: [{path, at: 'value', message: wrongKind(issue.errors.flat(), value)}];
	}

	const at = issue.code === 'invalid_key' ? 'key' : 'value';
	const unknown = issue.code === 'unrecognized_keys' && {unknownKeys: issue.keys};
	return [{path, at, message: sentence(issue, value), ...unknown}];
}

const keysOf = ({path}: Issue): KeyPath =>
	path.map(key => (typeof key === 'symbol' ? String(key) : key));

function sentence(issue: Issue, value: unknown): string {
	switch (issue.code) {
		case 'invalid_type':
			return wrongKind([issue], value);
		case 'invalid_value':
			return notOneOf(issue.values.map(String), value);
		case 'too_small':
			return typeof value === 'number'
				? `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}, not ${value}`
				: 'must not be empty';
		case 'too_big':
			return `must be at most ${issue.maximum}, not ${typeof value === 'number' ? value : 'more'}`;
		case 'invalid_key':
			return issue.issues[0]?.message ?? 'is not allowed as a key';
		case 'custom':
		case 'invalid_format':
		case 'not_multiple_of':
		case 'unrecognized_keys':
		case 'invalid_union':
		case 'invalid_element':
			return issue.message;
	}
}

const kinds: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'a mapping',
	record: 'a mapping',
};

function wrongKind(issues: readonly Issue[], value: unknown): string {
	const wanted = new Set(
		issues.flatMap(issue =>
			issue.code === 'invalid_type' ? [kinds[issue.expected] ?? issue.expected] : [],
		),
	);
	const hint = wanted.has('text') && isPlain(value) ? ': put it in quotes' : '';
	return `must be ${[...wanted].join(' or ') || 'something else'}, not ${valueKind(value)}${hint}`;
}

const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'boolean';

/** What a value is, in words: `a list`, `text`, `empty`. */
export function valueKind(value: unknown): string {
	if (value === undefined || value === null) {
		return 'empty';
	}

	if (typeof value === 'number') {
		return Number.isInteger(value) ? 'a number' : 'a fraction';
	}

	return kinds[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}

const maxShownLength = 40;

/** The one place that shows a text: what stands where only a fixed word can stand is a misspelt word, not a secret. */
function notOneOf(allowed: readonly string[], value: unknown): string {
	if (typeof value !== 'string') {
		return `must be one of ${allowed.join(', ')}, not ${valueKind(value)}`;
	}

	const nearest = nearestName(value, allowed);
	const shown = escapeLine(value, maxShownLength);
	return nearest === undefined
		? `"${shown}" is not known: must be one of ${allowed.join(', ')}`
		: `"${shown}" is not known, did you mean "${nearest}"`;
}
