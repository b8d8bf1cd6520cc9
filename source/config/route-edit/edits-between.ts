import {isDeepStrictEqual} from 'node:util';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {YamlEdit} from '../edit-yaml.ts';
import type {KeyPath} from '../plain-data.ts';

/** The keys to set and to remove at `path`, so that `before` becomes `after`: as far inside as possible, for the comments around what stays. */
export const editsBetween = (
	path: KeyPath,
	before: JsonObject,
	after: JsonObject,
): readonly YamlEdit[] => [
	...Object.keys(before)
		.filter(key => !Object.hasOwn(after, key))
		.map(key => ({path: [...path, key]})),
	...Object.entries(after).flatMap(([key, value]) =>
		Object.hasOwn(before, key)
			? editsOf([...path, key], before[key] ?? null, value)
			: [{path: [...path, key], value}],
	),
];

function editsOf(path: KeyPath, before: JsonValue, after: JsonValue): readonly YamlEdit[] {
	if (isDeepStrictEqual(before, after)) {
		return [];
	}

	if (isJsonObject(before) && isJsonObject(after)) {
		return editsBetween(path, before, after);
	}

	if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
		return after.flatMap((value: JsonValue, index) =>
			editsOf([...path, index], before[index] ?? null, value),
		);
	}

	return [{path, value: after}];
}
