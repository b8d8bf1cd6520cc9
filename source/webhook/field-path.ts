import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';

/** What a filter looks at. */
export type FilterContext = {
	readonly payload: JsonValue;
	/** Resolved event type. */
	readonly event: string;
	readonly headers: RequestHeaders;
};

/** Reads one field; `undefined` when it is missing. */
export type FieldReader = (context: FilterContext) => JsonValue | undefined;

const headersPrefix = 'headers.';

const payloadPrefix = 'payload.';

/** The name of the header that `field` reads, lower case, or `undefined`. */
export const headerNameOf = (field: string): string | undefined =>
	field.startsWith(headersPrefix) ? field.slice(headersPrefix.length).toLowerCase() : undefined;

/**
 * The reader of a field path, made once per filter. Own properties only; list indexes are allowed.
 *
 * @see Interface 2.6, Decisions 3
 */
export function compileField(field: string): FieldReader {
	if (field === 'event' || field === 'event_type') {
		return ({event}) => event;
	}

	const header = headerNameOf(field);
	if (header !== undefined) {
		return ({headers}) => headerOf(headers, header);
	}

	const path = field.split('.');
	if (!field.startsWith(payloadPrefix)) {
		return ({payload}) => lookUp(payload, path);
	}

	const rest = path.slice(1);
	return ({payload}) => lookUp(wrappedPayload(payload), rest);
}

/** A top-level `payload` object when there is one, else the root of a flat payload. */
function wrappedPayload(root: JsonValue): JsonValue {
	if (!isJsonObject(root) || !Object.hasOwn(root, 'payload')) {
		return root;
	}

	const inner = root['payload'];
	return isJsonObject(inner) ? inner : root;
}

/** The work is bounded by the path, however deep the payload is. */
function lookUp(root: JsonValue, path: readonly string[]): JsonValue | undefined {
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
