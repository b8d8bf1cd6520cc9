import type {KeyBinding} from '../../../source/tui/input/key-router.ts';

/**
 * Keys that two bindings of one scope claim at once, as sentences; empty when the table is sound. Bindings with a `when` may
 * share a key.
 */
export function keyConflicts(bindings: ReadonlyArray<KeyBinding<never>>): readonly string[] {
	const owners = new Map<string, string>();
	const conflicts: string[] = [];
	for (const {keys, id, scope, when} of bindings) {
		for (const key of when ? [] : keys) {
			const place = `${scope} ${key}`;
			const owner = owners.get(place);
			if (owner !== undefined) {
				conflicts.push(`Key "${key}" of scope "${scope}" is bound to "${owner}" and to "${id}"`);
			}

			owners.set(place, id);
		}
	}

	return conflicts;
}
