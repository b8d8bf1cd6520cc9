import type {StoredDelivery} from './delivery.ts';
import {isJsonObject, type JsonValue} from './json.ts';

/** Reads one field of a payload; `undefined` when it is missing. */
type PayloadReader = (payload: JsonValue) => JsonValue | undefined;

const payloadPrefix = 'payload.';

/**
 * Compiles a dotted path. `payload.<x>` reads from a top-level `payload` object when there is one, else from the root. Own properties
 * only; list indexes are allowed. The work is bounded by the length of the path.
 *
 * @see manual/filters-and-templates.md#filters, manual/runs.md#states-of-a-run
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

/** The value at a path from the root. Own properties and list indexes (`0`, `1`, …) only; `undefined` when it is missing. */
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

/** Parses a list index: `0`, `1`, …, without sign and leading zeros. */
function indexOf(name: string): number | undefined {
	const index = Number(name);
	return Number.isSafeInteger(index) && index >= 0 && String(index) === name ? index : undefined;
}

/** Headers in which code hosts name their event, lower case, in order of precedence. @see manual/receiver.md#events-and-identifiers */
export const codeHostEventHeaders = [
	'x-forge-event',
	'x-forge2-event',
	'x-github-event',
	'x-gitlab-event',
	'x-gitea-event',
	'x-forgejo-event',
] as const;

/** Whether a content type is that of a URL-encoded form. */
export const isFormType = (contentType: string | undefined): boolean =>
	/^application\/x-www-form-urlencoded/i.test(contentType ?? '');

/** The field `payload` of a form; `undefined` without one. */
export function payloadOfForm(form: string): string | undefined {
	const fields = new URLSearchParams(form);
	// If the field is repeated, the last one counts.
	return fields.getAll('payload').at(-1);
}

/** The JSON payload within the form of a code host; `undefined` for every other body. */
export function codeHostPayload({
	body,
	headers,
}: Pick<StoredDelivery, 'body' | 'headers'>): string | undefined {
	const isCodeHost = codeHostEventHeaders.some(name => headers[name]);
	const text =
		body && isCodeHost && isFormType(headers['content-type'])
			? new TextDecoder().decode(body)
			: '{';
	return text.startsWith('{') ? undefined : payloadOfForm(text);
}

/** The operators of an entry of `filters`. @see manual/filters-and-templates.md#filters */
export const payloadOperators = [
	'exists',
	'missing',
	'equals',
	'not_equals',
	'contains',
	'in',
	'in_file',
	'regex',
] as const;
