import type {JsonObject} from '../core/json.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {membersBySchema} from './schema-walk.ts';
import {findUnknownKeys} from './schema-walk.ts';

/**
 * Keys that are in use and not written any more, in a mapping that gained a key, or has one of nearly the same name, which `schema` (a JSON Schema as `configSchemaJson` makes it) has no room for: probably one became the other by
 * a typing error, and without it a default would hold. Both values are plain data of the same file, `inUse` as it counts now.
 */
export function findLostKeys(
	value: unknown,
	inUse: unknown,
	{
		schema,
		standsElsewhere = () => false,
	}: {
		readonly schema: JsonObject;
		/** Whether a setting is written in another of its places. */
		readonly standsElsewhere?: (path: KeyPath) => boolean;
	},
): readonly UnplacedDiagnostic[] {
	const knownIn = new Map(
		membersBySchema(value, schema).map(({path, known}) => [keyOf(path.slice(0, -1)), known]),
	);
	const lost = new Map<string, UnplacedDiagnostic>();
	for (const {path, nearest} of findUnknownKeys(value, schema)) {
		const mapping = path.slice(0, -1);
		const isNew = valueAt(inUse, path) === undefined;
		for (const key of (knownIn.get(keyOf(mapping)) ?? []).filter(
			known => isNew || known === nearest,
		)) {
			const place = [...mapping, key];
			const isLost =
				valueAt(inUse, place) !== undefined &&
				valueAt(value, place) === undefined &&
				!standsElsewhere(place);
			if (isLost && (key === nearest || !lost.has(keyOf(place)))) {
				lost.set(keyOf(place), {
					path: place,
					shownAt: path,
					at: 'key',
					message: `was in use and is not there any more, but "${String(path.at(-1))}" is, which is unknown: mend or remove that`,
				});
			}
		}
	}

	return [...lost.values()];
}

const keyOf = (path: KeyPath): string => JSON.stringify(path);

/** `value` with what stands at each of `paths` in `inUse`: nothing where that has nothing. */
export function withInUse(
	value: JsonObject,
	inUse: JsonObject,
	paths: readonly KeyPath[],
): JsonObject {
	const result = structuredClone(value);
	for (const path of paths) {
		const last = path.at(-1);
		const mapping = valueAt(result, path.slice(0, -1));
		const old = valueAt(inUse, path);
		if (last === undefined || typeof mapping !== 'object' || mapping === null) {
			continue;
		}

		if (old === undefined) {
			Reflect.deleteProperty(mapping, last);
		} else {
			Reflect.set(mapping, last, old);
		}
	}

	return result;
}
