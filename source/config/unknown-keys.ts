import type {JsonObject} from '../core/json.ts';
import {nearestName} from '../core/names.ts';
import type {KeyPath} from './plain-data.ts';
import {membersBySchema} from './schema-walk.ts';

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
