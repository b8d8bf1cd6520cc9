import {createConfig, lintFromString} from '@redocly/openapi-core';
import {expect, test} from 'vitest';
import {contract} from '../../source/gateway/contract/contract.ts';
import {controlOpenApi} from '../../source/gateway/control/control-openapi.ts';

const document = JSON.parse(JSON.stringify(controlOpenApi('1.0.0')));

test('the OpenAPI document is valid, and every reference in it leads somewhere', async () => {
	const config = await createConfig({
		extends: ['recommended'],
		// The event stream refuses nothing.
		rules: {'operation-4xx-response': 'off'},
	});
	const source = JSON.stringify(document);
	const problems = await lintFromString({source, absoluteRef: 'openapi.json', config});
	expect(problems.map(({ruleId, message, location: [place]}) => [ruleId, message, place])).toEqual(
		[],
	);
});

test.for(Object.entries(contract))('%s says what it answers', ([name, {path, method}]) => {
	const operation = document.paths[path][method.toLowerCase()];
	expect(operation.operationId).toBe(name);
	for (const {content} of Object.values<{content: Record<string, {schema: object}>}>(
		operation.responses,
	)) {
		expect(content['application/json']?.schema).not.toEqual({});
	}
});

test('answers are described by what they hold, the event stream by its messages', () => {
	const {paths, components} = document;
	const schemaOf = (path: string) =>
		paths[path].get.responses['200'].content['application/json'].schema;
	expect(schemaOf('/v1/deliveries')).toEqual({
		type: 'array',
		items: {$ref: '#/components/schemas/Delivery'},
	});
	expect(schemaOf('/v1/deliveries/{id}')).toEqual({$ref: '#/components/schemas/StoredDelivery'});
	expect(Object.keys(components.schemas.StoredDelivery.properties)).toContain('body_base64');
	expect(components.schemas.Run.required).toContain('state');
	expect(paths['/v1/deliveries/{id}'].get.responses).toHaveProperty('404');
	expect(paths['/v1/groups'].get.parameters).toEqual([
		expect.objectContaining({name: 'state', schema: {type: 'string', enum: expect.anything()}}),
		expect.objectContaining({name: 'profile', schema: {type: 'string'}}),
		expect.objectContaining({
			name: 'limit',
			schema: {type: 'integer', minimum: 1, maximum: 5000, default: 100},
		}),
	]);
	expect(paths['/v1/deliveries'].get.parameters).toContainEqual(
		expect.objectContaining({name: 'run_state', schema: expect.objectContaining({type: 'array'})}),
	);
	expect(paths['/v1/events'].get.responses['200'].content['text/event-stream'].schema).toEqual({
		anyOf: [{$ref: '#/components/schemas/State'}, {$ref: '#/components/schemas/Events'}],
	});
});
