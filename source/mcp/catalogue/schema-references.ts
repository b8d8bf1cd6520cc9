import {isJsonObject, type JsonObject} from '../../core/json.ts';

/** References that are followed in a row. */
const maxChainLength = 16;

/** A schema whose own `$ref` is gone, and the references that led to it. */
export type Followed = {
	readonly schema: JsonObject;
	readonly through: ReadonlySet<string>;
};

/**
 * Replaces the `$ref` of `schema` by what it points to within `root`; keywords beside it win. A reference that leads elsewhere, nowhere, or back to where it came from
 * (`through`) is dropped: nothing is ever fetched.
 */
export function followReference(
	schema: JsonObject,
	root: JsonObject,
	through: ReadonlySet<string>,
): Followed {
	if (typeof schema['$ref'] !== 'string') {
		return {schema, through};
	}

	const seen = new Set(through);
	let current = schema;
	for (let count = 0; typeof current['$ref'] === 'string' && count < maxChainLength; count += 1) {
		const {$ref: reference, ...beside} = current;
		const target = typeof reference === 'string' ? lookUp(root, reference) : undefined;
		if (typeof reference !== 'string' || !target || seen.has(reference)) {
			return {schema: beside, through: seen};
		}

		seen.add(reference);
		current = {...target, ...beside};
	}

	return {schema: current, through: seen};
}

/** What a JSON pointer in a fragment points to. @see RFC 6901 §6 */
function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
	if (reference !== '#' && !reference.startsWith('#/')) {
		return undefined;
	}

	let target: unknown = root;
	for (const step of reference.split('/').slice(1)) {
		target = memberOf(target, decode(step));
	}

	return isJsonObject(target) ? target : undefined;
}

function memberOf(value: unknown, key: string): unknown {
	if (Array.isArray(value)) {
		return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
	}

	return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function decode(step: string): string {
	try {
		return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
	} catch {
		return step;
	}
}
