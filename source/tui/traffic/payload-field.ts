import {isJsonObject, type JsonValue} from '../../core/json.ts';

/** A member of a payload, as a row of its tree shows it. */
export type PayloadField = {
	/** Names and indexes from the root; never empty. */
	readonly path: readonly string[];
	/** The value as JSON; absent for an object or a list. */
	readonly json?: string;
};

/** What a filter of a route says of one field. @see Interface 2.6 */
export type FieldFilter = {
	/** Dotted path. */
	readonly field: string;
	readonly equals?: JsonValue;
	readonly exists?: true;
};

/** First names that a filter does not look up in the payload. */
const pseudoFields: ReadonlySet<string> = new Set(['event', 'event_type', 'headers']);

/** The filter that passes what has the same value there, or anything there; `undefined` when no path can name the field. */
export function filterOf({path, json}: PayloadField): FieldFilter | undefined {
	const [first] = path;
	if (first === undefined || path.some(name => name === '' || name.includes('.'))) {
		return undefined;
	}

	const field = [...(pseudoFields.has(first) ? ['payload'] : []), ...path].join('.');
	const value: unknown = json === undefined ? undefined : JSON.parse(json);
	return isScalar(value) ? {field, equals: value} : {field, exists: true};
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
	value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Whether the payload `text` has at `path` what `field` has. False for what is no JSON. */
export function hasSame({path, json}: PayloadField, text: string): boolean {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return false;
	}

	for (const name of path) {
		const member = memberOf(value, name);
		if (!member) {
			return false;
		}

		[value] = member;
	}

	return json === undefined || value === JSON.parse(json);
}

/** The member in a list of its own: a member may be anything. */
function memberOf(value: unknown, name: string): readonly [unknown] | undefined {
	if (Array.isArray(value)) {
		const list: readonly unknown[] = value;
		return /^\d+$/.test(name) && Object.hasOwn(list, name) ? [list[Number(name)]] : undefined;
	}

	return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]] : undefined;
}

/** One entry of `filters` in `config.yaml`. With `isOpposite` it passes what the filter would not. */
export function filterYaml({field, equals}: FieldFilter, isOpposite = false): string {
	const [operator, value] =
		equals === undefined ? ['exists', !isOpposite] : [isOpposite ? 'not_equals' : 'equals', equals];
	// JSON is YAML, and quoted text can break out of nothing.
	return `- field: ${JSON.stringify(field)}\n  ${operator}: ${JSON.stringify(value)}\n`;
}

/** The same as a file for `svc webhook subscribe --filters-file`. */
export const filterJson = (filter: FieldFilter): string =>
	`${JSON.stringify([filter], undefined, 2)}\n`;
