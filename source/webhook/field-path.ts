import type {JsonValue} from '../core/json.ts';
import {compilePayloadPath} from '../core/payload-path.ts';
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

/** The name of the header that `field` reads, lower case, or `undefined`. */
export const headerNameOf = (field: string): string | undefined =>
	field.startsWith(headersPrefix) ? field.slice(headersPrefix.length).toLowerCase() : undefined;

/**
 * The reader of a field path, made once per filter: of the event type, of a header, else of the payload.
 *
 * @see manual/filters-and-templates.md#filters, manual/receiver.md#order-of-decisions
 */
export function compileField(field: string): FieldReader {
	if (field === 'event' || field === 'event_type') {
		return ({event}) => event;
	}

	const header = headerNameOf(field);
	if (header !== undefined) {
		return ({headers}) => headerOf(headers, header);
	}

	const read = compilePayloadPath(field);
	return ({payload}) => read(payload);
}
