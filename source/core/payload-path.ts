import {isJsonObject, type JsonValue} from './json.ts';

/** Reads one field of a payload; `undefined` when it is missing. */
type PayloadReader = (payload: JsonValue) => JsonValue | undefined;

const payloadPrefix = 'payload.';

/**
 * The reader of a dotted path, made once. `payload.<x>` reads from a top-level `payload` object when there is one, else from the root. Own properties
 * only; list indexes are allowed. The work is bounded by the path, however deep the payload is.
 *
 * @see manual/filters-and-templates.md#filters, manual/runs.md#what-a-run-can-come-to
 */
export function compilePayloadPath(field: string): PayloadReader {
	const path = field.split('.');
	if (!field.startsWith(payloadPrefix)) {
		return payload => lookUp(payload, path);
	}

	const rest = path.slice(1);
	return payload => lookUp(wrappedPayload(payload), rest);
}

/** A top-level `payload` object when there is one, else the root of a flat payload. */
function wrappedPayload(root: JsonValue): JsonValue {
	if (!isJsonObject(root) || !Object.hasOwn(root, 'payload')) {
		return root;
	}

	const inner = root['payload'];
	return isJsonObject(inner) ? inner : root;
}

/** What a dotted path leads to, from the root. Own properties and list indexes (`0`, `1`, …) only; `undefined` when there is nothing. */
export function lookUp(root: JsonValue, path: readonly string[]): JsonValue | undefined {
	let value: JsonValue | undefined = root;
	for (const name of path) {
		value = memberOf(value, name);
		if (value === undefined) {
			return undefined;
		}
	}

	return value;
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
	if (typeof value !== 'object' || value === null) {
		return undefined;
	}

	if (isJsonObject(value)) {
		return Object.hasOwn(value, name) ? value[name] : undefined;
	}

	const index = indexOf(name);
	return index === undefined ? undefined : value[index];
}

/** `0`, `1`, …, as JSON paths write them: no sign, no leading zero. */
function indexOf(name: string): number | undefined {
	const index = Number(name);
	return Number.isSafeInteger(index) && index >= 0 && String(index) === name ? index : undefined;
}
