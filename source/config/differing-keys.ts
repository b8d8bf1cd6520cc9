import {isDeepStrictEqual} from 'node:util';

/**
 * The keys whose values differ, deeply compared; those of `before` first. Keys in `lookedInto` whose values are both objects are given as `key.inner`. Pure.
 */
export function differingKeys(
	before: object,
	after: object,
	lookedInto: ReadonlySet<string>,
): readonly string[] {
	const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
	return [...keys].flatMap(key => {
		const values: readonly unknown[] = [Reflect.get(before, key), Reflect.get(after, key)];
		if (isDeepStrictEqual(values[0], values[1])) {
			return [];
		}

		const [old, now] = values;
		return lookedInto.has(key) && isObject(old) && isObject(now)
			? differingKeys(old, now, lookedInto).map(inner => `${key}.${inner}`)
			: [key];
	});
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
