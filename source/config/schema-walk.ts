import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {nearestName} from '../core/names.ts';
import {membersOf, type KeyPath} from './plain-data.ts';

/** A member of a mapping with known keys, or of one whose names are free. */
type SchemaMember = {
	readonly path: KeyPath;
	readonly value: unknown;
	/** What it may be; absent: the mapping has no room for its key. */
	readonly schema?: JsonObject;
	/** Keys that the mapping knows. */
	readonly known: readonly string[];
};

/**
 * Every member of the mappings in `value` that `root` (a JSON Schema as `configSchemaJson` makes it) describes, outer ones first, in the order of the file. Does not look below a key without room,
 * nor into values of the wrong kind.
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

/** What a schema says of the members of one list or mapping. */
type Shape = {
	readonly isList: boolean;
	readonly known: readonly string[];
	/** The schema of a member; `false`: there is no room for that key, `undefined`: it may be anything. */
	readonly of: (key: string | number) => JsonObject | false | undefined;
};

/** What `schema` says of the members of `value`; `undefined`: nothing. */
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

/** The alternatives that a schema allows, references followed. */
export function alternatives(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
	const reference = schema['$ref'];
	const target = typeof reference === 'string' ? follow(reference, root) : schema;
	const several: JsonValue | undefined = target['anyOf'];
	return Array.isArray(several)
		? several.filter(isJsonObject).flatMap((member: JsonObject) => alternatives(member, root))
		: [target];
}

/** The definition behind `#/$defs/name`; the only references that the schema holds. */
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
 * Every key of `value` that `schema` (a JSON Schema as `configSchemaJson` makes it) has no room for, in the order of the file.
 * Does not look below such a key, nor into values of the wrong kind.
 */
export const findUnknownKeys = (value: unknown, schema: JsonObject): readonly UnknownKey[] =>
	membersBySchema(value, schema).flatMap(({path, known, schema: room}) => {
		const nearest = room ? undefined : nearestName(String(path.at(-1)), known);
		return room ? [] : [{path, ...(nearest !== undefined && {nearest})}];
	});

/** What to say of such a key. */
export const unknownKey = ({nearest}: UnknownKey): string =>
	nearest === undefined ? 'unknown key' : `unknown key, did you mean "${nearest}"`;
