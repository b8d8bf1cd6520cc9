import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {nearestName} from './nearest-name.ts';
import {membersOf, type KeyPath} from './plain-data.ts';

/** A key that the schema does not know, and the name that was probably meant. */
export type UnknownKey = {readonly path: KeyPath; readonly nearest?: string};

/**
 * Every key of `value` that `schema` (a JSON Schema as `configSchemaJson` makes it) has no room for, in the order of the file.
 * Does not look below such a key, nor into values of the wrong kind.
 */
export function findUnknownKeys(value: unknown, schema: JsonObject): readonly UnknownKey[] {
	return search(value, {schema, root: schema, path: []});
}

/** What to say of such a key. */
export const unknownKey = ({nearest}: UnknownKey): string =>
	nearest === undefined ? 'unknown key' : `unknown key, did you mean "${nearest}"`;

type Place = {
	readonly schema: JsonObject;
	readonly root: JsonObject;
	readonly path: KeyPath;
};

function search(value: unknown, {schema, root, path}: Place): readonly UnknownKey[] {
	const shapes = shapesOf(schema, root);
	if (Array.isArray(value)) {
		const items = shapes.map(shape => shape['items']).find(isJsonObject);
		return items
			? value.flatMap((member: unknown, index) =>
					search(member, {schema: items, root, path: [...path, index]}),
				)
			: [];
	}

	const shape = shapes.find(({properties, additionalProperties}) =>
		isJsonObject(properties) ? true : isJsonObject(additionalProperties),
	);
	return shape
		? membersOf(value).flatMap(([key, member]) =>
				searchMember([String(key), member], {schema: shape, root, path: [...path, key]}),
			)
		: [];
}

function searchMember(
	[key, member]: readonly [string, unknown],
	{schema: {properties, additionalProperties}, root, path}: Place,
): readonly UnknownKey[] {
	const known = isJsonObject(properties) ? properties : {};
	const schema = Object.hasOwn(known, key) ? known[key] : additionalProperties;
	if (isJsonObject(schema)) {
		return search(member, {schema, root, path});
	}

	const nearest = nearestName(key, Object.keys(known));
	return schema === false ? [{path, ...(nearest !== undefined && {nearest})}] : [];
}

/** The alternatives that a schema allows, references followed. */
function shapesOf(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
	const reference = schema['$ref'];
	const target = typeof reference === 'string' ? follow(reference, root) : schema;
	const alternatives: JsonValue | undefined = target['anyOf'];
	return Array.isArray(alternatives)
		? alternatives.filter(isJsonObject).flatMap((member: JsonObject) => shapesOf(member, root))
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
