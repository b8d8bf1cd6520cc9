import {readFileSync} from 'node:fs';
import {createConfig, lintFromString} from '@redocly/openapi-core';
import {Ajv2020} from 'ajv/dist/2020.js';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {endpointsOf} from '../../source/api/endpoints.ts';
import {responseFields} from '../../source/api/responses/response-fields.ts';
import {chatFields} from '../../source/api/shapes/chat-fields.ts';
import {
	chunkOf,
	eventsOf,
	lastEvent,
	sendCompletion,
	sendJson,
	sendStream,
} from '../helpers/chat-upstream.ts';
import {messages, startRelay} from '../helpers/relay.ts';

const text = readFileSync('source/manual/openapi.yaml', 'utf8');
const document = parse(text);

const ajv = new Ajv2020({strict: false, validateFormats: false});
ajv.addSchema(document, 'svc');

const faultsOf = (name: string, value: unknown): unknown => {
	const validate = ajv.getSchema(`svc#/components/schemas/${name}`);
	return validate?.(value) === true ? [] : (validate?.errors ?? 'no schema');
};

test('the document is valid, and every reference in it leads somewhere', async () => {
	const config = await createConfig({
		extends: ['recommended'],
		// The address of a gateway is that of its machine.
		rules: {'no-server-example.com': 'off'},
	});
	const problems = await lintFromString({source: text, absoluteRef: 'openapi.yaml', config});
	expect(
		problems.map(({ruleId, message, location: [place]}) => [ruleId, message, place?.pointer]),
	).toEqual([]);
});

test('it tells of every endpoint, and of no other, with the scope of each', () => {
	// What answers is asked for nothing.
	const endpoints = endpointsOf({} as Parameters<typeof endpointsOf>[0]);
	const served = endpoints.map(
		({method, path, scope}) => `${method} ${path}${scope === undefined ? ' open' : ''}`,
	);
	const told = Object.entries<Record<string, {security?: unknown[]}>>(document.paths).flatMap(
		([path, methods]) =>
			Object.entries(methods).map(
				([method, {security}]) =>
					`${method.toUpperCase()} ${path}${security?.length === 0 ? ' open' : ''}`,
			),
	);
	expect(told.toSorted()).toEqual(served.toSorted());
});

test('it tells of every field of a request that somebody goes by', () => {
	const {ChatRequest, ResponseRequest} = document.components.schemas;
	const refused = new Set([
		'audio',
		'web_search_options',
		'functions',
		'function_call',
		'previous_response_id',
		'conversation',
		'prompt',
	]);
	for (const [{properties}, fields] of [
		[ChatRequest, chatFields],
		[ResponseRequest, responseFields],
	] as const) {
		expect(Object.keys(properties).toSorted()).toEqual(
			[...fields.keys()].filter(name => !refused.has(name)).toSorted(),
		);
	}
});

test('answers are what it says, and anybody may read it', async () => {
	let isDown = false;
	await using relay = await startRelay(request => {
		if (isDown) {
			sendJson(request.response, 500, {});
		} else if (request.body.stream === true) {
			sendStream(
				request,
				chunkOf({content: 'Paris', tool_calls: [{index: 0, id: 'a', function: {name: 'f'}}]}),
				chunkOf({}, {finishReason: 'stop'}),
				lastEvent,
			);
		} else {
			sendCompletion(request, {content: 'Paris', annotations: []});
		}
	});
	const {api} = relay;
	const read = await api.ask('/openapi.yaml', {key: null});
	expect(read.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
	expect(await read.text()).toBe(text);

	const asked = {model: 'fast', messages};
	expect(faultsOf('ChatRequest', asked)).toEqual([]);
	const list = (await (await api.ask('/v1/models')).json()) as {data: unknown[]};
	expect(faultsOf('ModelList', list)).toEqual([]);
	expect(faultsOf('Model', list.data[0])).toEqual([]);
	expect(faultsOf('ChatCompletion', await (await api.chat(asked)).json())).toEqual([]);
	const stream = await api.chat({...asked, stream: true, stream_options: {include_usage: true}});
	const chunks = eventsOf(await stream.text()).slice(0, -1);
	expect(chunks.length).toBeGreaterThan(3);
	for (const chunk of chunks) {
		expect(faultsOf('ChatChunk', JSON.parse(chunk))).toEqual([]);
	}

	const request = {model: 'fast', input: 'Where?', metadata: {a: 'b'}};
	expect(faultsOf('ResponseRequest', request)).toEqual([]);
	expect(faultsOf('Response', await (await api.respond(request)).json())).toEqual([]);
	const responding = await api.respond({...request, stream: true});
	const events = [...(await responding.text()).matchAll(/^data: (.*)$/gm)];
	expect(events.length).toBeGreaterThan(8);
	for (const [, event = ''] of events) {
		expect(faultsOf('ResponseEvent', JSON.parse(event))).toEqual([]);
	}

	isDown = true;
	const failures = await Promise.all([
		api.chat(asked),
		api.chat({...asked, n: 2}),
		api.chat({...asked, model: 'none'}),
		api.ask('/v1/chat/completions'),
		api.ask('/v1/models', {key: null}),
		api.respond({...request, stream: true}),
		api.respond({...request, background: true}),
	]);
	expect(failures.map(({status}) => status)).toEqual([502, 400, 404, 405, 401, 502, 400]);
	for (const answer of failures) {
		expect(faultsOf('Error', await answer.json())).toEqual([]);
		for (const path of ['/v1/chat/completions', '/v1/responses']) {
			expect(document.paths[path].post.responses[String(answer.status)]).toBeDefined();
		}
	}
});
