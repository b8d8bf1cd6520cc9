import {isJsonObject, parsedJson, type JsonValue} from '../../core/json.ts';
import {payloadOperators} from '../../core/payload-operators.ts';
import type {TypedValue} from '../../nouns/field.ts';

const known: ReadonlySet<string> = new Set(payloadOperators);
const asks: ReadonlySet<string> = new Set(['exists', 'missing']);

/** What is read as it is typed: a backslash or a bracket means what it says. */
const takesText: ReadonlySet<string> = new Set(['regex', 'in_file']);

/** A filter as one line, `action in opened, synchronize`; a group, or one of several operators, as JSON. */
export function filterLine(filter: JsonValue): string {
	const whole = JSON.stringify(filter);
	if (!isJsonObject(filter)) {
		// One that was typed and says nothing stands as it was typed.
		return typeof filter === 'string' && !filterOf(filter).ok ? filter : whole;
	}

	const {field, ...rest} = filter;
	const [[operator, value] = ['', null], ...more] = Object.entries(rest);
	const line =
		typeof field === 'string' && more.length === 0 && known.has(operator)
			? `${field} ${operator}${valueText(operator, value)}`
			: whole;
	// Only what is read back as what it was.
	const read = filterOf(line);
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

/** What a line says, or why it says nothing. */
export function filterOf(line: string): TypedValue {
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

	return written === '' ? true : value === undefined ? written : value;
}

/** `null` is a value, too. */
function jsonOrText(text: string): JsonValue {
	const value = parsedJson(text);
	return value === undefined ? text : value;
}
