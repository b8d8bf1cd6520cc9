import {Ajv2020} from 'ajv/dist/2020.js';
import {expect, test} from 'vitest';
import {configSchemaJson} from '../../source/config/config-schema-json.ts';
import {valueAt} from '../../source/config/plain-data.ts';
import {senderNames} from '../../source/config/senders/senders.ts';
import {jobSchemaJson} from '../../source/schedule/job.ts';

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

test('the schema knows what a route may say of signing, gathering and replaced secrets', () => {
	const route = valueAt(configSchemaJson(), ['$defs', 'route', 'properties']);
	expect(valueAt(route, ['signature', 'anyOf', 0, 'enum'])).toEqual(senderNames);
	expect(valueAt(route, ['signature', 'anyOf', 1])).toMatchObject({
		required: ['header'],
		additionalProperties: false,
		properties: {
			header: {type: 'string'},
			algorithm: {default: 'sha256'},
			prefix: {default: ''},
			encoding: {default: 'hex'},
			preset: {anyOf: [{enum: [...senderNames]}, {type: 'null'}]},
			timestamp_header: expect.anything(),
			id_header: expect.anything(),
			signed: expect.anything(),
		},
	});
	expect(Object.keys(valueAt(route, ['coalesce', 'properties']) ?? {})).toEqual([
		'key',
		'window_seconds',
		'max_wait_seconds',
	]);
	expect(JSON.stringify(valueAt(route, ['retired_secrets']))).toMatch(
		/"required":\["secret","until"\].*"additionalProperties":false/,
	);
	expect(valueAt(route, ['overflow'])).toMatchObject({default: 'reject'});
	for (const key of [
		'concurrency',
		'rate_limit',
		'max_body_bytes',
		'dedupe_body',
		'profile',
		'cron_job',
	]) {
		expect(valueAt(route, [key, 'description'])).toEqual(expect.any(String));
	}
});

test('it is made of plain data, once', () => {
	expect(configSchemaJson()).toBe(configSchemaJson());
	expect(JSON.parse(JSON.stringify(configSchemaJson()))).toEqual(configSchemaJson());
});

test('a strict validator compiles both schemas, and finds what the program finds', () => {
	const ajv = new Ajv2020({strict: true, allErrors: true});
	expect(() => ajv.compile(jobSchemaJson())).not.toThrow();
	const validate = ajv.compile(configSchemaJson());
	const servers = {mcp_servers: {crm: {command: 'a', trust: 'untrusted'}}};
	expect(validate({platforms: {webhook: {enabled: true, rate_limit: 60}}, ...servers})).toBe(true);
	expect(validate({platforms: {webhook: {rate_limt: 60}}})).toBe(false);
	expect(validate({runs: {concurrency: 'x'}})).toBe(false);
	// What an editor offers.
	expect(JSON.stringify(configSchemaJson())).toContain('"enum":["full","untrusted"]');
});
