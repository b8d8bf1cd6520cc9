import {isJsonObject, type JsonObject} from '../core/json.ts';
import {makeConfigSchemaJson} from './make-config-schema-json.ts';
import {membersBySchema} from './schema-issues.ts';

let noted: JsonObject | undefined;
let plain: JsonObject | undefined;

/**
 * The JSON Schema (draft 2020-12) of `config.yaml`, made once. Mappings with known keys allow no others.
 *
 * @see manual/configuration.md#how-the-file-is-read
 */
export function configSchemaJson(): JsonObject {
	plain ??= objectOf(JSON.stringify(notedSchemaJson(), forStrict));
	return plain;
}

/** `configSchemaJson` with our own keywords: `x-change` (what a change needs, unless `at-once`), `x-secret`, `x-lines` and `x-by-hand`. */
export function notedSchemaJson(): JsonObject {
	noted ??= objectOf(makeConfigSchemaJson());
	return noted;
}

/** Adapts a schema to strict validators, which refuse unknown keywords and want one type at a time. */
function forStrict(key: string, value: unknown): unknown {
	// Strict validators refuse formats that they do not know.
	if (key.startsWith('x-') || (key === 'format' && typeof value === 'string')) {
		return undefined;
	}

	if (!isJsonObject(value) || !Array.isArray(value['type']) || value['type'].length < 3) {
		return value;
	}

	const {type, ...rest} = value;
	return {...rest, anyOf: type.map(name => ({type: name}))};
}

function objectOf(text: string): JsonObject {
	const made: unknown = JSON.parse(text);
	return isJsonObject(made) ? made : {};
}

/** The JSON Schema of one route. */
export function routeSchemaJson(): JsonObject {
	return {$ref: '#/$defs/route', $defs: configSchemaJson()['$defs'] ?? {}};
}

/** `routeSchemaJson` with our own keywords, as in `notedSchemaJson`. */
export function notedRouteSchemaJson(): JsonObject {
	return {$ref: '#/$defs/route', $defs: notedSchemaJson()['$defs'] ?? {}};
}

/** The JSON Schema of a route's `filters`. */
export function filtersSchemaJson(): JsonObject {
	const filter = {$ref: '#/$defs/filter'};
	return {
		anyOf: [{type: 'array', items: filter}, filter],
		$defs: configSchemaJson()['$defs'] ?? {},
	};
}

/** The texts in `value` (all of `config.yaml`) of settings declared as secrets, whatever the key; includes texts within mappings and lists. */
export const declaredSecrets = (value: unknown): readonly string[] =>
	membersBySchema(value, notedSchemaJson())
		.filter(({schema}) => schema?.['x-secret'] === true)
		.flatMap(({value: secret}) => textsIn(secret));

const textsIn = (value: unknown): readonly string[] =>
	typeof value === 'string'
		? [value]
		: typeof value === 'object' && value !== null
			? Object.values(value).flatMap(textsIn)
			: [];
