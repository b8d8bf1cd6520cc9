import {createHash} from 'node:crypto';
import {isJsonObject, type JsonValue} from './json.ts';

/** The one text that every JSON text of the same value becomes: members sorted by their names' UTF-16 units, no white space. @see RFC 8785 */
export function canonicalJson(value: JsonValue): string {
	if (isJsonObject(value)) {
		const members = Object.keys(value)
			.toSorted()
			.map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
		return `{${members.join(',')}}`;
	}

	// `isJsonObject` tells no list from a value that is none to the compiler.
	return Array.isArray(value)
		? `[${value.map((item: JsonValue) => canonicalJson(item)).join(',')}]`
		: JSON.stringify(value);
}

/** Lower-case hex SHA-256 of the canonical JSON. */
export const jsonHash = (value: JsonValue): string =>
	createHash('sha256').update(canonicalJson(value)).digest('hex');
