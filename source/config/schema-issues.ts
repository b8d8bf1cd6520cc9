import type {z} from 'zod';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {didYouMean, nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath, membersOf} from './plain-data.ts';

type Issue = z.core.$ZodIssue;

/** The issues of a schema about `value`, as sentences after the name of a key. They contain no text values, which may be secrets. */
export const describeIssues = (
	issues: readonly Issue[],
	value: unknown,
): readonly UnplacedDiagnostic[] =>
	issues.flatMap(issue => describe(issue, valueAt(value, keysOf(issue))));

/** The first problem of `value`, as a sentence after the name of its key; `undefined`: none. */
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
		// The alternative that was probably meant: the one for this kind of value.
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

/** The kind of a value in words: `a list`, `text`, `empty`. */
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

/** The only message that quotes a value: where only fixed words are allowed, a text is a misspelt word, not a secret. */
function notOneOf(allowed: readonly string[], value: unknown): string {
	if (typeof value !== 'string') {
		return `must be one of ${allowed.join(', ')}, not ${valueKind(value)}`;
	}

	return `"${escapeLine(value, maxShownLength)}" is not known${didYouMean(value, allowed) || `: must be one of ${allowed.join(', ')}`}`;
}

/** A member of a mapping, whose keys may be known or free. */
type SchemaMember = {
	readonly path: KeyPath;
	readonly value: unknown;
	/** The schema of its value; absent: its key is not allowed. */
	readonly schema?: JsonObject;
	/** The known keys of the mapping. */
	readonly known: readonly string[];
};

/**
 * Every member of the mappings in `value` that `root` (a JSON Schema as `configSchemaJson` makes it) describes, outer ones first, in the order of the file. Does not look
 * below a key that is not allowed, nor into values of the wrong kind.
 */
export function membersBySchema(
	value: unknown,
	root: JsonObject,
	{schema = root, path = []}: {readonly schema?: JsonObject; readonly path?: KeyPath} = {},
): readonly SchemaMember[] {
	const shape = shapeOf(value, schema, root);
	return membersOf(value).flatMap(([key, member]) => {
		const place = {path: [...path, key], value: member};
		const inner = shape?.of(key);
		if (inner === undefined) {
			return [];
		}

		return [
			...(shape?.isList
				? []
				: [{...place, ...(inner && {schema: inner}), known: shape?.known ?? []}]),
			...(inner ? membersBySchema(member, root, {schema: inner, path: place.path}) : []),
		];
	});
}

/** The schemas of the members of a list or mapping. */
type Shape = {
	readonly isList: boolean;
	readonly known: readonly string[];
	/** The schema of a member; `false`: its key is not allowed, `undefined`: any value is. */
	readonly of: (key: string | number) => JsonObject | false | undefined;
};

/** The part of `schema` about the members of `value`; `undefined`: there is none. */
export function shapeOf(value: unknown, schema: JsonObject, root: JsonObject): Shape | undefined {
	const shapes = alternatives(schema, root);
	if (Array.isArray(value)) {
		const items = shapes.map(shape => shape['items']).find(isJsonObject);
		return items && {isList: true, known: [], of: () => items};
	}

	const shape = shapes.find(({properties, additionalProperties}) =>
		isJsonObject(properties) ? true : isJsonObject(additionalProperties),
	);
	if (!shape) {
		return undefined;
	}

	const {properties, additionalProperties: others} = shape;
	const known = isJsonObject(properties) ? properties : {};
	return {
		isList: false,
		known: Object.keys(known),
		of(key) {
			const member = Object.hasOwn(known, key) ? known[key] : others;
			return isJsonObject(member) || member === false ? member : undefined;
		},
	};
}

/** The alternatives that a schema allows, with references resolved. */
export function alternatives(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
	const reference = schema['$ref'];
	const target = typeof reference === 'string' ? follow(reference, root) : schema;
	const several: JsonValue | undefined = target['anyOf'];
	return Array.isArray(several)
		? several.filter(isJsonObject).flatMap((member: JsonObject) => alternatives(member, root))
		: [target];
}

/** The definition of a reference, which always has the form `#/$defs/name`. */
function follow(reference: string, root: JsonObject): JsonObject {
	const name = reference.replace('#/$defs/', '');
	const definitions = root['$defs'];
	const found =
		isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
	return isJsonObject(found) ? found : {};
}

/** A key that the schema does not know, and the name that was probably meant. */
export type UnknownKey = {readonly path: KeyPath; readonly nearest?: string};

/**
 * Every key of `value` that `schema` (a JSON Schema as `configSchemaJson` makes it) does not allow, in the order of the file. Does not look below such a key, nor into
 * values of the wrong kind.
 */
export const findUnknownKeys = (value: unknown, schema: JsonObject): readonly UnknownKey[] =>
	membersBySchema(value, schema).flatMap(({path, known, schema: room}) => {
		const nearest = room ? undefined : nearestName(String(path.at(-1)), known);
		return room ? [] : [{path, ...(nearest !== undefined && {nearest})}];
	});

/** The message about an unknown key. */
export const unknownKey = ({nearest}: UnknownKey): string =>
	nearest === undefined ? 'unknown key' : `unknown key, did you mean "${nearest}"`;
