import {isJsonObject, type JsonObject, type JsonValue} from './json.ts';

/** The value at a path, through own members only; `undefined` for none. */
export function valueIn(object: JsonObject, path: readonly string[]): JsonValue | undefined {
	let value: JsonValue | undefined = object;
	for (const key of path) {
		value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	}

	return value;
}

/** A copy of the object with another value at a path; `undefined` removes the key, and mappings that become empty. */
export function withValueAt(
	object: JsonObject,
	[key = '', ...rest]: readonly string[],
	value: JsonValue | undefined,
): JsonObject {
	const before = Object.hasOwn(object, key) ? object[key] : undefined;
	const inside = isJsonObject(before) ? before : {};
	const next = rest.length === 0 ? value : withValueAt(inside, rest, value);
	const isGone = next === undefined || (rest.length > 0 && Object.keys(Object(next)).length === 0);
	if (!isGone) {
		return {...object, [key]: next};
	}

	return Object.fromEntries(Object.entries(object).filter(([other]) => other !== key));
}
