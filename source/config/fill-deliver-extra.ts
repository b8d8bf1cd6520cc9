import {isJsonObject, type JsonObject} from '../core/json.ts';
import {targetNamed} from '../platforms/platforms.ts';

/**
 * `entry` (a dynamic route as it is written) with what `given` adds to its `deliver_extra`, and, where nothing else is written, with what its target's kind has there by
 * default. Pure.
 *
 * @see manual/delivery.md
 */
export function fillDeliverExtra(
	entry: JsonObject,
	given: Readonly<Record<string, string>> = {},
): JsonObject {
	const {deliver, events} = entry;
	const defaults =
		typeof deliver === 'string' ? targetNamed(deliver)?.defaults?.(events) : undefined;
	const before = isJsonObject(entry['deliver_extra']) ? entry['deliver_extra'] : {};
	const extra = {...defaults, ...before, ...given};
	return Object.keys(extra).length === 0 ? entry : {...entry, deliver_extra: extra};
}
