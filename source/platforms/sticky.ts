import type {JsonObject, JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {type Checked, extraValue} from './target-keys.ts';

/** `deliver_extra.sticky` as it is written: what it says, or what is wrong with it. The command line knows texts alone. */
export function stickyOf(extra: JsonObject): Checked<boolean> {
	const value = extraValue(extra, 'sticky') ?? false;
	const known = meanings.get(value);
	return known === undefined
		? {
				ok: false,
				code: 'target_invalid',
				problem: `deliver_extra.sticky is "${escapeLine(typeof value === 'string' ? value : JSON.stringify(value), 80)}" and must be true or false`,
			}
		: {ok: true, value: known};
}

const meanings: ReadonlyMap<JsonValue, boolean> = new Map<JsonValue, boolean>([
	[true, true],
	['true', true],
	[false, false],
	['false', false],
]);
