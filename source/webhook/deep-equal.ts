import {maxJsonDepth} from '../core/json-depth.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';

/**
 * Whether two JSON values are the same by type and content. The order of keys does not count. Values nested deeper than 128 levels are never equal, so
 * that no payload can exhaust the stack. `right` is the smaller one, if either is: a stranger's `left` is listed only when it has all of its keys.
 *
 * @see manual/receiver.md#order-of-decisions
 */
export function deepEqual(left: JsonValue, right: JsonValue, depth = 0): boolean {
	if (left === right) {
		return true;
	}

	if (depth > maxJsonDepth) {
		return false;
	}

	if (Array.isArray(left)) {
		return Array.isArray(right) && equalLists(left, right, depth);
	}

	return isJsonObject(left) && isJsonObject(right) && equalObjects([left, right], depth);
}

const equalLists = (left: readonly JsonValue[], right: readonly JsonValue[], depth: number) =>
	left.length === right.length &&
	left.every((item, index) => deepEqual(item, right[index] ?? null, depth + 1));

function equalObjects(
	[left, right]: readonly [
		Readonly<Record<string, JsonValue>>,
		Readonly<Record<string, JsonValue>>,
	],
	depth: number,
): boolean {
	const keys = Object.keys(right);
	return (
		keys.every(
			key =>
				Object.hasOwn(left, key) && deepEqual(left[key] ?? null, right[key] ?? null, depth + 1),
		) && keys.length === Object.keys(left).length
	);
}
