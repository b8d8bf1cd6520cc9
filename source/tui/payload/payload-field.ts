import {escapeHazards, jsonLine, type JsonValue} from '../../core/json.ts';
import {compilePayloadPath} from '../../core/payload.ts';

/** A member of a payload, shown as one row of its tree. */
export type PayloadField = {
	/** Names and indexes from the root; never empty. */
	readonly path: readonly string[];
	/** The value as JSON; absent for an object or a list. */
	readonly json?: string;
};

/** A route filter's condition on one field. @see manual/filters-and-templates.md#filters */
export type FieldFilter = {
	/** Dotted path. */
	readonly field: string;
	readonly equals?: JsonValue;
	readonly exists?: true;
};

/** Whether this name means something else than a payload field in filters. */
const isPseudo = ([first, ...rest]: readonly string[]): boolean =>
	rest.length === 0 ? first === 'event' || first === 'event_type' : first === 'headers';

/**
 * A filter for the same value at this path, or for any value there. `body` is the payload; `undefined` if no filter path leads to the field, as below `event`
 * beside a `payload` object.
 */
export function filterOf({path, json}: PayloadField, body: string): FieldFilter | undefined {
	if (path.some(name => name === '' || name.includes('.'))) {
		return undefined;
	}

	const value: unknown = json === undefined ? undefined : JSON.parse(json);
	const asked = isScalar(value) ? {equals: value} : {exists: true as const};
	const plain = path.join('.');
	return [...(isPseudo(path) ? [] : [plain]), `payload.${plain}`]
		.map(field => ({field, ...asked}))
		.find(filter => readsBack(filter, json, body));
}

/** Whether the filter's path finds this field in `body`. A field without a single JSON value is an object or a list. */
function readsBack(filter: FieldFilter, json: string | undefined, body: string): boolean {
	const value = valueOf(filter.field, body);
	return json === undefined
		? typeof value === 'object' && value !== null
		: filter.equals !== undefined && value === filter.equals;
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
	value === null ||
	typeof value === 'string' ||
	typeof value === 'boolean' ||
	(typeof value === 'number' && Number.isFinite(value));

/** Whether the payload `body` passes; false if it is not JSON. */
export function passes({field, equals}: FieldFilter, body: string): boolean {
	const value = valueOf(field, body);
	return value !== undefined && (equals === undefined || value === equals);
}

/** The value that a route filter reads from `body`. */
function valueOf(field: string, body: string): JsonValue | undefined {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
		return compilePayloadPath(field)(JSON.parse(body) as JsonValue);
	} catch {
		return undefined;
	}
}

/** One entry of `filters` in `config.yaml`. `isOpposite` negates it. */
export function filterYaml({field, equals}: FieldFilter, isOpposite = false): string {
	const [operator, value] =
		equals === undefined ? ['exists', !isOpposite] : [isOpposite ? 'not_equals' : 'equals', equals];
	// JSON is valid YAML, and its quoted text cannot be closed by its content. Escapes also keep invisible characters, which a clipboard would drop.
	return `- field: ${jsonLine(field)}\n  ${operator}: ${jsonLine(value)}\n`;
}

/** The filter as a file for `svc webhook subscribe --filters-file`. */
export const filterJson = (filter: FieldFilter): string =>
	escapeHazards(`${JSON.stringify([filter], undefined, 2)}\n`);
