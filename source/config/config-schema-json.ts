import {isJsonObject, type JsonObject} from '../core/json.ts';
import {jsonSchemaOf} from '../core/schema-parts.ts';
import {configSchema} from './schema.ts';

let made: JsonObject | undefined;

/**
 * The JSON Schema (draft 2020-12) of `config.yaml`, made once. Mappings with known keys allow no others.
 *
 * @see manual/configuration.md#how-the-file-is-read
 */
export function configSchemaJson(): JsonObject {
	made ??= makeSchema();
	return made;
}

/** The part of it that describes one route, as a schema of its own. */
export function routeSchemaJson(): JsonObject {
	return {$ref: '#/$defs/route', $defs: configSchemaJson()['$defs'] ?? {}};
}

/** The same for the value of a route's `filters`. */
export function filtersSchemaJson(): JsonObject {
	const filter = {$ref: '#/$defs/filter'};
	return {
		anyOf: [{type: 'array', items: filter}, filter],
		$defs: configSchemaJson()['$defs'] ?? {},
	};
}

function makeSchema(): JsonObject {
	const schema: unknown = jsonSchemaOf(configSchema);
	// Through text: what JSON Schema cannot say (undefined, accessors) is gone, and the rest is plain data.
	const plain: unknown = JSON.parse(JSON.stringify(schema));
	return isJsonObject(plain) ? {...plain, title: 'config.yaml of svc'} : {};
}
