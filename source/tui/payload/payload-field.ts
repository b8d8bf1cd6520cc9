import {escapeHazards, jsonLine, type JsonValue} from '../../core/json.ts';
import {compilePayloadPath} from '../../core/payload.ts';

/** A member of a payload, as a row of its tree shows it. */
export type PayloadField = {
	/** Names and indexes from the root; never empty. */
	readonly path: readonly string[];
	/** The value as JSON; absent for an object or a list. */
	readonly json?: string;
};

/** What a filter of a route says of one field. @see manual/filters-and-templates.md#filters */
export type FieldFilter = {
	/** Dotted path. */
	readonly field: string;
	readonly equals?: JsonValue;
	readonly exists?: true;
};

/** Whether a filter reads something else than the payload under this name. */
const isPseudo = ([first, ...rest]: readonly string[]): boolean =>
	rest.length === 0 ? first === 'event' || first === 'event_type' : first === 'headers';

/**
 * The filter that passes what has the same value there, or anything there. `body` is what the field was found in: `undefined` when no path reads it back,
 * as below `event` beside a `payload` object.
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

/** What is not written as one value is an object or a list. */
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

/** Whether the payload `body` passes. False for what is no JSON. */
export function passes({field, equals}: FieldFilter, body: string): boolean {
	const value = valueOf(field, body);
	return value !== undefined && (equals === undefined || value === equals);
}

/** What a filter of a route reads from `body`. */
function valueOf(field: string, body: string): JsonValue | undefined {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
		return compilePayloadPath(field)(JSON.parse(body) as JsonValue);
	} catch {
		return undefined;
	}
}

/** One entry of `filters` in `config.yaml`. With `isOpposite` it passes what the filter would not. */
export function filterYaml({field, equals}: FieldFilter, isOpposite = false): string {
	const [operator, value] =
		equals === undefined ? ['exists', !isOpposite] : [isOpposite ? 'not_equals' : 'equals', equals];
	// JSON is YAML, and quoted text can break out of nothing. A clipboard would take invisible characters away, and the filter would fit nothing.
	return `- field: ${jsonLine(field)}\n  ${operator}: ${jsonLine(value)}\n`;
}

/** The same as a file for `svc webhook subscribe --filters-file`. */
export const filterJson = (filter: FieldFilter): string =>
	escapeHazards(`${JSON.stringify([filter], undefined, 2)}\n`);
