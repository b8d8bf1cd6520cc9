import {expect, test} from 'vitest';
import {configSchemaJson} from '../../source/config/config-schema-json.ts';
import {valueAt} from '../../source/config/plain-data.ts';

test('the JSON Schema says what every setting is, and forbids unknown keys', () => {
	const schema = configSchemaJson();
	expect(schema).toMatchObject({
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		type: 'object',
		additionalProperties: false,
	});
	expect(Object.keys(valueAt(schema, ['properties']) ?? {})).toEqual(
		expect.arrayContaining([
			'platforms',
			'model',
			'runs',
			'forge',
			'retention',
			'gateway',
			'mcp_servers',
			'api',
		]),
	);
	expect(valueAt(schema, ['$defs', 'route', 'additionalProperties'])).toBe(false);
	expect(valueAt(schema, ['$defs', 'route', 'properties', 'rate_limit'])).toMatchObject({
		default: 30,
		description: 'Requests per minute and route',
	});
	expect(valueAt(schema, ['$defs', 'filter', 'properties', 'all'])).toMatchObject({
		items: {$ref: '#/$defs/filter'},
	});
	expect(valueAt(schema, ['$defs', 'route', 'properties', 'coalesce', 'required'])).toEqual([
		'key',
	]);
});

test('it is made of plain data, once', () => {
	expect(configSchemaJson()).toBe(configSchemaJson());
	expect(JSON.parse(JSON.stringify(configSchemaJson()))).toEqual(configSchemaJson());
});
