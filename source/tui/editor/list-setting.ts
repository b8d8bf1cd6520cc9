import {
	isJsonObject,
	jsonOrText,
	parsedJson,
	type JsonObject,
	type JsonValue,
} from '../../core/json.ts';
import {payloadOperators} from '../../core/payload.ts';
import type {RouteField} from '../../core/route-editor.ts';
import type {TypedValue} from '../../nouns/field.ts';

/** List settings shown with one row per member. A single member may be written without a list. */
const listSettings: ReadonlySet<string> = new Set(['secret', 'filters']);

/** The choice of writing a mapping out instead of choosing by name. */
export const custom = 'custom';

/** The key of the row that adds a member. */
export const addKey = '+';

/** Whether a path names a member of such a list, or the row that adds one. */
export const isListMember = ([key = '', ...rest]: readonly string[]): boolean =>
	rest.length === 1 && listSettings.has(key);

/** The members of a list; a value written without a list is its only member. */
export const listMembers = (value: JsonValue | undefined): readonly JsonValue[] =>
	value === undefined || value === null ? [] : [value].flat();

/** The list with a member replaced, added or removed; `undefined` if it is empty then. */
export function withMember(
	list: JsonValue | undefined,
	at: string,
	value: JsonValue | undefined,
): JsonValue | undefined {
	const members = listMembers(list);
	const index = at === addKey ? members.length : Number(at);
	const next = members.toSpliced(index, 1, ...(value === undefined ? [] : [value]));
	const [only] = next;
	const wasAlone = list !== undefined && !Array.isArray(list);
	return next.length > 1 || (typeof only === 'object' && !wasAlone) ? next : only;
}

/** Splits list settings into a row per member, and leaves out fields of mappings that are not written out. */
export const rowsOfSettings = (
	fields: readonly RouteField[],
	definition: JsonObject,
): readonly RouteField[] =>
	fields.flatMap((field): readonly RouteField[] => {
		const {path} = field;
		const [key = ''] = path;
		const value = definition[key];
		if (field.inMapping === true) {
			return typeof value === 'object' && value !== null ? [field] : [];
		}

		if (fields.some(other => other.inMapping === true && other.path[0] === key)) {
			return [{...field, kind: 'choice', options: [...(field.options ?? []), custom]}];
		}

		if (path.length !== 1 || !listSettings.has(key)) {
			return [field];
		}

		const {default: _, ...member} = field;
		return [...listMembers(value).keys().map(String), addKey].map(at => ({
			...member,
			kind: field.secret === true ? ('texts' as const) : ('text' as const),
			path: [key, at],
		}));
	});

const known: ReadonlySet<string> = new Set(payloadOperators);
const asks: ReadonlySet<string> = new Set(['exists', 'missing']);

/** Operators whose value is taken literally, with backslashes and brackets. */
const takesText: ReadonlySet<string> = new Set(['regex', 'in_file']);

/** A filter as one line, `action in opened, synchronize`; a group or a filter with several operators as JSON. */
export function filterLine(filter: JsonValue): string {
	const whole = JSON.stringify(filter);
	if (!isJsonObject(filter)) {
		// Invalid text is shown as it was typed.
		return typeof filter === 'string' && !parsedFilter(filter).ok ? filter : whole;
	}

	const {field, ...rest} = filter;
	const [[operator, value] = ['', null], ...more] = Object.entries(rest);
	const line =
		typeof field === 'string' && more.length === 0 && known.has(operator)
			? `${field} ${operator}${valueText(operator, value)}`
			: whole;
	// One line only if parsing it gives the same filter.
	const read = parsedFilter(line);
	return read.ok && JSON.stringify(read.value) === whole ? line : whole;
}

function valueText(operator: string, value: JsonValue): string {
	if (asks.has(operator) && value === true) {
		return '';
	}

	return operator === 'in' && Array.isArray(value)
		? ` ${value.every(isPlain) ? value.join(', ') : JSON.stringify(value)}`
		: ` ${typeof value === 'string' && (isPlain(value) || takesText.has(operator)) ? value : JSON.stringify(value)}`;
}

const isPlain = (value: JsonValue): boolean =>
	typeof value === 'string' && !value.includes(',') && parsedJson(value) === undefined;

const refuses = (problem: string): TypedValue => ({ok: false, problem});

/** Parses a line to a filter, or says why it is invalid. */
export function parsedFilter(line: string): TypedValue {
	const text = line.trim();
	if (text === '') {
		return {ok: true, value: undefined};
	}

	if (text.startsWith('{')) {
		const value = parsedJson(text);
		return isJsonObject(value) ? {ok: true, value} : refuses('is no JSON object');
	}

	const [, field = '', operator, written = ''] =
		/^(\S+)(?:\s+(\S+))?(?:\s+(.*))?$/s.exec(text) ?? [];
	if (operator === undefined || !known.has(operator)) {
		return refuses(
			`needs "field operator value", with one of these operators: ${payloadOperators.join(', ')}`,
		);
	}

	if (written === '' && !asks.has(operator)) {
		return refuses(`needs a value behind "${operator}"`);
	}

	return {ok: true, value: {field, [operator]: valueOf(operator, written)}};
}

function valueOf(operator: string, written: string): JsonValue {
	if (takesText.has(operator)) {
		return written;
	}

	const value = parsedJson(written);
	if (operator === 'in') {
		return Array.isArray(value) ? value : written.split(',').map(one => jsonOrText(one.trim()));
	}

	return written === '' ? true : jsonOrText(written);
}
