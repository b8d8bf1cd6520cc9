import {assert, jsonValue, property} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ApiError} from '../../source/api/http/api-error.ts';
import type {PublicModels} from '../../source/api/http/public-model.ts';
import {readResponseRequest} from '../../source/api/responses/response-request.ts';
import {apiSettings} from '../../source/config/api-settings.ts';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {faultsOf} from './chat-oracle.ts';

const settings = apiSettings.read({models: {agent: {agent: true}, fast: {relay: true}}});
const models: PublicModels = () => settings.models;

const read = (body: JsonObject) =>
	readResponseRequest({model: 'fast', input: 'Hello', ...body}, models);

/** `param` and `code` of the refusal; `undefined` when it is taken. */
function refusalOf(body: JsonObject): readonly [param: string | null, code: string] | undefined {
	try {
		read(body);
		return undefined;
	} catch (error) {
		if (!(error instanceof ApiError)) {
			throw error;
		}

		return [error.body.param, error.body.code];
	}
}

const type = 'invalid_type';
const range = 'out_of_range';
const absent = 'missing_required_parameter';
const unsupported = 'unsupported_value';

const message = (...content: readonly JsonValue[]): JsonObject => ({
	input: [{type: 'message', role: 'user', content}],
});
const tool = (one: JsonValue): JsonObject => ({tools: [one]});
const look = {type: 'function', name: 'look', parameters: {type: 'object'}};

const wrong: ReadonlyArray<readonly [JsonObject, string, string]> = [
	[{model: null}, 'model', absent],
	[{model: ''}, 'model', absent],
	[{model: 'none'}, 'model', 'model_not_found'],
	[{input: null}, 'input', absent],
	[{input: null, messages: []}, 'input', absent],
	[{input: 7}, 'input', type],
	[{input: {}}, 'input', type],
	[{input: []}, 'input', range],
	[{input: ['x']}, 'input[0]', type],
	[{input: [{}]}, 'input[0].type', absent],
	[{input: [{type: 'web_search_call'}]}, 'input[0].type', unsupported],
	[{input: [{type: 'item_reference', id: 'msg_1'}]}, 'input[0]', unsupported],
	[{input: [{role: 'user'}]}, 'input[0].content', absent],
	[{input: [{role: 'tool', content: 'x'}]}, 'input[0].role', unsupported],
	[{input: [{type: 'message', content: 'x'}]}, 'input[0].role', absent],
	[message({type: 'input_text'}), 'input[0].content[0].text', absent],
	[message({type: 'sound'}), 'input[0].content[0].type', unsupported],
	[message({type: 'input_image'}), 'input[0].content[0].image_url', absent],
	[message({type: 'input_image', image_url: {}}), 'input[0].content[0].image_url', type],
	[message({type: 'input_image', file_id: 'f'}), 'input[0].content[0].file_id', unsupported],
	[message({type: 'input_file', file_url: 'f'}), 'input[0].content[0].file_url', unsupported],
	[message({type: 'input_file', file_id: 'f'}), 'input[0].content[0].file_id', unsupported],
	[{input: [{type: 'function_call', name: 'f', arguments: ''}]}, 'input[0].call_id', absent],
	[
		{input: [{type: 'function_call', call_id: 'a', name: 'f', arguments: {}}]},
		'input[0].arguments',
		type,
	],
	[{input: [{type: 'function_call_output', call_id: 'a'}]}, 'input[0].output', absent],
	[{input: [{type: 'custom_tool_call', call_id: 'a', name: 'f'}]}, 'input[0].input', absent],
	[{instructions: 7}, 'instructions', type],
	[{previous_response_id: 'resp_1'}, 'previous_response_id', unsupported],
	[{conversation: 'conv_1'}, 'conversation', unsupported],
	[{prompt: {id: 'p'}}, 'prompt', unsupported],
	[{background: true}, 'background', unsupported],
	[{background: 'yes'}, 'background', type],
	[{stream: 'yes'}, 'stream', type],
	[{store: 1}, 'store', type],
	[{metadata: {a: 1}}, 'metadata.a', type],
	[{max_output_tokens: 0}, 'max_output_tokens', range],
	[{max_output_tokens: 1.5}, 'max_output_tokens', type],
	[{temperature: 3}, 'temperature', range],
	[{top_p: 'x'}, 'top_p', type],
	[{text: 'x'}, 'text', type],
	[{text: {format: {type: 'xml'}}}, 'text.format.type', unsupported],
	[{text: {format: {type: 'json_schema', name: 'a'}}}, 'text.format.schema', absent],
	[{reasoning: {effort: 7}}, 'reasoning.effort', type],
	[{include: 'all'}, 'include', type],
	[{tools: {}}, 'tools', type],
	[tool({}), 'tools[0].type', absent],
	[tool({type: 'function'}), 'tools[0].name', absent],
	[tool({type: 'function', name: 'f', parameters: []}), 'tools[0].parameters', type],
	[tool({type: 'custom'}), 'tools[0].name', absent],
	[tool({type: 'namespace', name: 'n'}), 'tools[0].tools', absent],
	[
		tool({type: 'namespace', name: 'n', tools: [{type: 'function'}]}),
		'tools[0].tools[0].name',
		absent,
	],
	[{tool_choice: 'any'}, 'tool_choice', unsupported],
	[{tool_choice: {type: 'web_search'}}, 'tool_choice.type', unsupported],
	[{tool_choice: {type: 'function', name: 'f'}}, 'tool_choice', unsupported],
	[{tool_choice: 'required', tools: [{type: 'web_search'}]}, 'tool_choice', unsupported],
	[
		{
			tools: [look],
			tool_choice: {type: 'allowed_tools', mode: 'auto', tools: [look, {type: 'web_search'}]},
		},
		'tool_choice.tools[1]',
		unsupported,
	],
];

const wrongForAgents: ReadonlyArray<readonly [JsonObject, string]> = [
	[{tools: [look]}, 'tools'],
	[{text: {format: {type: 'json_object'}}}, 'text.format.type'],
	[message({type: 'input_image', image_url: 'data:,'}), 'input[0].content[0].type'],
	[
		{
			input: [
				{type: 'function_call', call_id: 'a', name: 'f', arguments: ''},
				{role: 'user', content: 'x'},
			],
		},
		'input[0].type',
	],
	[
		{
			input: [
				{role: 'user', content: 'x'},
				{role: 'assistant', content: 'y'},
			],
		},
		'input[1].role',
	],
	[
		{
			input: [
				{role: 'user', content: 'x'},
				{type: 'reasoning', summary: []},
			],
		},
		'input[1].type',
	],
];

describe('a request for a response', () => {
	test.each(wrong)('%j is refused: %s is %s', (body, param, code) => {
		expect(refusalOf(body)).toEqual([param, code]);
	});

	test.each(wrongForAgents)('%j is refused of an agent: %s', (body, param) => {
		expect(refusalOf({model: 'agent', ...body})).toEqual([param, unsupported]);
	});

	test('may say what an agent does not go by, or has nothing in it', () => {
		const {ignored, body} = read({
			model: 'agent',
			input: [
				{type: 'reasoning', summary: []},
				{role: 'assistant', content: [{type: 'output_text', text: 'Yes?'}]},
				{role: 'user', content: 'Hello'},
			],
			tools: [],
			tool_choice: {type: 'function', name: 'f'},
			top_p: 1,
			temperature: 0,
			text: {format: {type: 'text'}},
			store: false,
			background: false,
			previous_response_id: null,
		});
		expect(ignored).toEqual(['tool_choice', 'top_p']);
		expect(body['messages']).toEqual([
			{role: 'assistant', content: 'Yes?'},
			{role: 'user', content: 'Hello'},
		]);
	});

	test('names what it leaves out: fields, and tools that others would have to run', () => {
		const {ignored, body, names} = read({
			include: ['x'],
			client_metadata: {},
			prompt_cache_key: 'k',
			'no name': 1,
			tools: [{type: 'web_search'}, look, {type: 'mcp'}, {type: 'web_search'}],
		});
		expect(ignored).toEqual([
			'include',
			'client_metadata',
			'prompt_cache_key',
			'tools.web_search',
			'tools.mcp',
		]);
		expect(body['tools']).toHaveLength(1);
		expect(names.told).toEqual([{...look, description: null, strict: null}]);
	});

	test('is a chat completion in other words', () => {
		const {body} = read({
			instructions: 'Be brief',
			input: [
				{type: 'message', role: 'developer', content: [{type: 'input_text', text: 'And polite'}]},
				{
					role: 'user',
					content: [
						{type: 'input_text', text: 'What is it?'},
						{type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low'},
						{type: 'input_file', file_data: 'data:,x', filename: 'x.txt'},
					],
				},
				{type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x'},
				{type: 'message', role: 'assistant', content: [{type: 'output_text', text: 'I look'}]},
				{type: 'function_call', call_id: 'a', name: 'look', arguments: '{"at":1}'},
				{type: 'message', role: 'assistant', content: [{type: 'output_text', text: 'twice'}]},
				{type: 'function_call', call_id: 'b', name: 'look', namespace: 'far', arguments: '{}'},
				{type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** "Begin"'},
				{
					type: 'function_call_output',
					call_id: 'a',
					output: [
						{type: 'input_text', text: 'Here'},
						{type: 'input_image', image_url: 'data:image/png;base64,BB=='},
					],
				},
				{type: 'function_call_output', call_id: 'b', output: 'There'},
				{type: 'custom_tool_call_output', call_id: 'c', output: 'Done'},
				{role: 'user', content: 'Well?'},
			],
			tools: [
				{...look, strict: true},
				{type: 'namespace', name: 'far', description: 'Far', tools: [look]},
				{
					type: 'custom',
					name: 'patch',
					description: 'Edits',
					format: {type: 'grammar', syntax: 'lark', definition: 'start: "x"'},
				},
			],
			tool_choice: {type: 'custom', name: 'patch'},
			parallel_tool_calls: false,
			reasoning: {effort: 'low', summary: 'auto'},
			text: {
				verbosity: 'low',
				format: {type: 'json_schema', name: 'a', schema: {type: 'object'}, strict: true},
			},
		});
		expect(body).toEqual({
			messages: [
				{role: 'system', content: 'Be brief\n\nAnd polite'},
				{
					role: 'user',
					content: [
						{type: 'text', text: 'What is it?'},
						{type: 'image_url', image_url: {url: 'data:image/png;base64,AA==', detail: 'low'}},
						{type: 'file', file: {file_data: 'data:,x', filename: 'x.txt'}},
					],
				},
				{
					role: 'assistant',
					content: 'I look\n\ntwice',
					tool_calls: [
						{id: 'a', type: 'function', function: {name: 'look', arguments: '{"at":1}'}},
						{id: 'b', type: 'function', function: {name: 'far__look', arguments: '{}'}},
						{
							id: 'c',
							type: 'function',
							function: {name: 'patch', arguments: String.raw`{"input":"*** \"Begin\""}`},
						},
					],
				},
				{role: 'tool', tool_call_id: 'a', content: 'Here\n(shown in the next message)'},
				{role: 'tool', tool_call_id: 'b', content: 'There'},
				{role: 'tool', tool_call_id: 'c', content: 'Done'},
				{
					role: 'user',
					content: [{type: 'image_url', image_url: {url: 'data:image/png;base64,BB=='}}],
				},
				{role: 'user', content: 'Well?'},
			],
			tools: [
				{
					type: 'function',
					function: {name: 'look', parameters: {type: 'object'}, strict: true},
				},
				{type: 'function', function: {name: 'far__look', parameters: {type: 'object'}}},
				{
					type: 'function',
					function: {
						name: 'patch',
						description: 'Edits\n\n"input" follows this grammar (lark):\nstart: "x"',
						parameters: {
							type: 'object',
							properties: {input: {type: 'string'}},
							required: ['input'],
							additionalProperties: false,
						},
					},
				},
			],
			tool_choice: {type: 'function', function: {name: 'patch'}},
			parallel_tool_calls: false,
			reasoning_effort: 'low',
			verbosity: 'low',
			response_format: {
				type: 'json_schema',
				json_schema: {name: 'a', schema: {type: 'object'}, strict: true},
			},
		});
		// The specification of chat completions has the last word.
		expect(faultsOf('CreateChatCompletionRequest', {...body, model: 'x'})).toEqual([]);
	});

	test('lets a choice among tools leave the others out, and a name be as long as it may', () => {
		const other = {...look, name: 'see'};
		const name = 'n'.repeat(60);
		const long = {type: 'namespace', name, tools: [look]};
		const {body, names} = read({
			tools: [look, other, long],
			tool_choice: {
				type: 'allowed_tools',
				mode: 'required',
				tools: [other, {...look, namespace: name}],
			},
		});
		expect(body).toMatchObject({
			tools: [{function: {name: 'see'}}, {function: {name: /^n{55}_[0-9a-f]{8}$/}}],
			tool_choice: 'required',
		});
		const [, {function: {name: wireName = ''} = {}} = {}] = body['tools'] as unknown as Array<{
			function?: {name: string};
		}>;
		expect(names.meant(wireName)).toMatchObject({name: 'look', namespace: name});
		expect(names.wireName({name: 'look', namespace: name})).toBe(wireName);
	});

	test('gives every tool a name of its own, whatever a namespace makes of it', () => {
		const far = {type: 'namespace', name: 'far', tools: [{type: 'custom', name: 'look'}]};
		const farther = {type: 'namespace', name: 'far__look', tools: [{...look, name: 'up'}]};
		const nearer = {type: 'namespace', name: 'far', tools: [{...look, name: 'look__up'}]};
		const {body, names} = read({
			tools: [far, {...look, name: 'far__look'}, farther, nearer],
			tool_choice: {...look, name: 'look__up', namespace: 'far'},
			input: [
				{type: 'function_call', call_id: '1', name: 'far__look', arguments: '{}'},
				{type: 'function_call_output', call_id: '1', output: ''},
			],
		});
		const offered = body['tools'] as unknown as ReadonlyArray<{function: {name: string}}>;
		const wireNames = offered.map(({function: {name}}) => name);
		expect(new Set(wireNames).size).toBe(4);
		expect(wireNames[1]).toBe('far__look');
		expect(wireNames.map(name => names.meant(name))).toMatchObject([
			{kind: 'custom', name: 'look', namespace: 'far'},
			{kind: 'function', name: 'far__look'},
			{kind: 'function', name: 'up', namespace: 'far__look'},
			{kind: 'function', name: 'look__up', namespace: 'far'},
		]);
		expect(body['tool_choice']).toEqual({type: 'function', function: {name: wireNames[3]}});
		expect(body['messages']).toMatchObject([
			{tool_calls: [{function: {name: 'far__look'}}]},
			{role: 'tool'},
		]);
	});

	test('may have very many items and tools: what they cost grows as they do', () => {
		const count = 50_000;
		const many = (make: (index: number) => JsonObject) =>
			Array.from({length: count}, (_, at) => make(at));
		const {body} = read({
			input: [
				...many(() => ({role: 'system', content: 'a'})),
				...many(at => ({type: 'function_call', call_id: `${at}`, name: 'f', arguments: ''})),
				...many(() => ({role: 'assistant', content: 'b'})),
			],
			tools: many(at => ({...look, name: `f${at}`})),
			tool_choice: {
				type: 'allowed_tools',
				tools: many(at => ({type: 'function', name: `f${at}`})),
			},
		});
		const [system, assistant] = body['messages'] as unknown as Array<{
			content: string;
			tool_calls?: unknown[];
		}>;
		expect(system?.content).toHaveLength(3 * count - 2);
		expect(assistant?.tool_calls).toHaveLength(count);
		expect(body['tools']).toHaveLength(count);
	});

	test('is taken or refused with a status, whatever it is', () => {
		assert(
			property(jsonValue({maxDepth: 4}), jsonValue({maxDepth: 4}), (input, tools) => {
				const body = {input: input as JsonValue, tools: tools as JsonValue};
				expect(refusalOf(body)?.[1] ?? 'taken').toMatch(/^(?:taken|invalid_|missing_|out_|unsupp)/);
			}),
			{numRuns: propertyRuns(200)},
		);
	});
});
