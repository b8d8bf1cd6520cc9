import {
	array,
	assert,
	boolean,
	constantFrom,
	jsonValue,
	nat,
	oneof,
	property,
	record,
	string,
	tuple,
	type Arbitrary,
} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readChatRequest} from '../../source/api/chat/chat-request.ts';
import {ApiError} from '../../source/api/http/api-error.ts';
import type {PublicModels} from '../../source/api/http/public-model.ts';
import {createSseReader} from '../../source/api/relay/sse-reader.ts';
import {turnMessages} from '../../source/api/shapes/chat-messages.ts';
import {apiSettings} from '../../source/config/api-settings.ts';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {faultsOf} from './chat-oracle.ts';

const settings = apiSettings.read({
	models: {agent: {agent: true}, fast: {relay: true}, small: {relay: true, max_output_tokens: 9}},
});
const models: PublicModels = () => settings.models;

const user = {role: 'user', content: 'Hello'};

/** `param` and `code` of the refusal; `undefined` when it is taken. */
function refusalOf(body: JsonObject): readonly [param: string | null, code: string] | undefined {
	try {
		const {model} = readChatRequest(body, models);
		if (model.agent) {
			turnMessages(body['messages']);
		}

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

const wrongFields: ReadonlyArray<readonly [JsonObject, string, string]> = [
	[{model: undefined as unknown as JsonValue}, 'model', absent],
	[{model: null}, 'model', absent],
	[{model: ''}, 'model', absent],
	[{model: 7}, 'model', type],
	[{model: 'none'}, 'model', 'model_not_found'],
	[{model: '__proto__'}, 'model', 'model_not_found'],
	[{messages: null}, 'messages', absent],
	[{messages: null, input: 'Hello'}, 'messages', absent],
	[{messages: 'Hello'}, 'messages', type],
	[{messages: {}}, 'messages', type],
	[{messages: []}, 'messages', range],
	[{messages: [null]}, 'messages[0]', type],
	[{messages: ['Hello']}, 'messages[0]', type],
	[{messages: [user, [user]]}, 'messages[1]', type],
	[{messages: [{}]}, 'messages[0].role', absent],
	[{messages: [{role: 123, content: 'x'}]}, 'messages[0].role', type],
	[{messages: [{role: 'function', content: 'x'}]}, 'messages[0].role', unsupported],
	[{messages: [{role: 'toString', content: 'x'}]}, 'messages[0].role', unsupported],
	[{messages: [{role: 'user'}]}, 'messages[0].content', absent],
	[{messages: [{role: 'user', content: null}]}, 'messages[0].content', type],
	[{messages: [user, user, {role: 'user', content: 123}]}, 'messages[2].content', type],
	[{messages: [{role: 'user', content: []}]}, 'messages[0].content', range],
	[{messages: [{role: 'user', content: ['x']}]}, 'messages[0].content[0]', type],
	[{messages: [{role: 'user', content: [{}]}]}, 'messages[0].content[0].type', absent],
	[
		{messages: [{role: 'user', content: [{type: 'video'}]}]},
		'messages[0].content[0].type',
		unsupported,
	],
	[{messages: [{role: 'user', content: [{type: 'text'}]}]}, 'messages[0].content[0].text', absent],
	[
		{messages: [{role: 'user', content: [{type: 'text', text: 1}]}]},
		'messages[0].content[0].text',
		type,
	],
	[
		{messages: [{role: 'user', content: [{type: 'image_url', image_url: {}}]}]},
		'messages[0].content[0].image_url.url',
		absent,
	],
	[
		{messages: [{role: 'system', content: [{type: 'image_url'}]}]},
		'messages[0].content[0].type',
		unsupported,
	],
	[{messages: [{role: 'assistant'}]}, 'messages[0].content', absent],
	[{messages: [{role: 'assistant', content: null}]}, 'messages[0].content', absent],
	[{messages: [{role: 'assistant', tool_calls: {}}]}, 'messages[0].tool_calls', type],
	[{messages: [{role: 'assistant', tool_calls: [{}]}]}, 'messages[0].tool_calls[0].id', absent],
	[{messages: [{role: 'tool', content: 'x'}]}, 'messages[0].tool_call_id', absent],
	[{messages: [{...user, name: 7}]}, 'messages[0].name', type],
	[{stream: 'yes'}, 'stream', type],
	[{stream_options: {}}, 'stream_options', unsupported],
	[{stream: true, stream_options: []}, 'stream_options', type],
	[{stream: true, stream_options: {include_usage: 1}}, 'stream_options.include_usage', type],
	[{max_tokens: 0}, 'max_tokens', range],
	[{max_tokens: 1.5}, 'max_tokens', type],
	[{max_tokens: '5'}, 'max_tokens', type],
	[{max_completion_tokens: -1}, 'max_completion_tokens', range],
	[{temperature: 2.1}, 'temperature', range],
	[{temperature: 'hot'}, 'temperature', type],
	[{top_p: -0.1}, 'top_p', range],
	[{presence_penalty: 3}, 'presence_penalty', range],
	[{seed: 0.5}, 'seed', type],
	[{logit_bias: {7: 101}}, 'logit_bias.7', range],
	[{logit_bias: []}, 'logit_bias', type],
	[{top_logprobs: 21}, 'top_logprobs', range],
	[{stop: 7}, 'stop', type],
	[{stop: ['a', 'b', 'c', 'd', 'e']}, 'stop', range],
	[{stop: ['a', 1]}, 'stop[1]', type],
	[{n: 0}, 'n', range],
	[{n: 2}, 'n', unsupported],
	[{n: 129}, 'n', range],
	[{modalities: ['text', 'audio']}, 'modalities', unsupported],
	[{audio: {voice: 'x'}}, 'audio', unsupported],
	[{functions: []}, 'functions', unsupported],
	[{web_search_options: {}}, 'web_search_options', unsupported],
	[{tools: {}}, 'tools', type],
	[{tools: [{}]}, 'tools[0].type', absent],
	[{tools: [{type: 'function', function: {}}]}, 'tools[0].function.name', absent],
	[
		{tools: [{type: 'function', function: {name: 'x', parameters: 1}}]},
		'tools[0].function.parameters',
		type,
	],
	[{tool_choice: 'always'}, 'tool_choice', unsupported],
	[{tool_choice: {}}, 'tool_choice.type', absent],
	[{response_format: {type: 'sound'}}, 'response_format.type', unsupported],
	[{response_format: {type: 'json_schema', json_schema: 123}}, 'response_format.json_schema', type],
];

describe('a request of a chat completion', () => {
	test.for(wrongFields)('with %j is refused for %s: %s', ([wrong, param, code]) => {
		const body = JSON.parse(JSON.stringify({model: 'fast', messages: [user], ...wrong}));
		expect(refusalOf(body as JsonObject)).toEqual([param, code]);
	});

	const tool = {type: 'function', function: {name: 'look'}};
	const call = {id: 'a', type: 'function', function: {name: 'look', arguments: '{}'}};
	const image = {type: 'image_url', image_url: {url: 'https://example.com/a.png'}};
	const forRelays: ReadonlyArray<readonly [JsonObject, string, string]> = [
		[{tools: [tool]}, 'tools', unsupported],
		[{logprobs: true}, 'logprobs', unsupported],
		[{response_format: {type: 'json_object'}}, 'response_format.type', unsupported],
		[{messages: [user, {role: 'assistant', content: 'Hello'}]}, 'messages[1].role', unsupported],
		[{messages: [{role: 'user', content: [image]}]}, 'messages[0].content[0].type', unsupported],
		[
			{messages: [user, {role: 'assistant', tool_calls: [call]}, user]},
			'messages[1].tool_calls',
			unsupported,
		],
		[
			{messages: [user, {role: 'tool', tool_call_id: 'a', content: 'x'}, user]},
			'messages[1].role',
			unsupported,
		],
	];

	test.for(forRelays)('with %j is for a relay, not for an agent', ([given, param, code]) => {
		expect(refusalOf({model: 'fast', messages: [user], ...given})).toBeUndefined();
		expect(refusalOf({model: 'agent', messages: [user], ...given})).toEqual([param, code]);
	});

	test('takes what clients send: nulls, lists of parts, every role, empty tools for an agent', () => {
		const messages = [
			{role: 'system', content: 'Be brief'},
			{
				role: 'developer',
				content: [
					{type: 'text', text: 'In '},
					{type: 'text', text: 'verse'},
				],
			},
			{...user, name: 'Ada'},
			{role: 'assistant', content: null, refusal: 'No'},
			{role: 'user', content: [{type: 'text', text: 'Please'}]},
		];
		const body = {
			model: 'agent',
			messages,
			stream: null,
			stream_options: null,
			temperature: null,
			tools: [],
			n: 1,
			top_p: 0.5,
			response_format: {type: 'text'},
			max_tokens: 20,
			max_completion_tokens: 30,
		};
		expect(refusalOf(body)).toBeUndefined();
		const {maxTokens, ignored, isStreamed} = readChatRequest(body, models);
		expect({maxTokens, ignored, isStreamed}).toEqual({
			maxTokens: 20,
			ignored: ['top_p'],
			isStreamed: false,
		});
		expect(turnMessages(messages)).toEqual([
			{role: 'system', text: 'Be brief'},
			{role: 'system', text: 'In verse'},
			{role: 'user', text: 'Hello'},
			{role: 'assistant', text: 'No'},
			{role: 'user', text: 'Please'},
		]);
	});

	test('is taken or refused for a reason, whatever stands in it; what is taken is one of the specification', () => {
		const json = jsonValue({maxDepth: 3}) as Arbitrary<JsonValue>;
		const value = oneof(
			json,
			constantFrom<JsonValue>(null, true, 0, 1, 2, -1, 'auto', 'x', [], {}, {type: 'text'}, [
				{type: 'text', text: 'x'},
			]),
		);
		const message = record(
			{
				role: constantFrom<JsonValue>('user', 'system', 'assistant', 'tool', 'developer', 7),
				content: value,
				tool_calls: value,
				tool_call_id: value,
			},
			{requiredKeys: ['role']},
		);
		const body = record(
			{
				model: constantFrom<JsonValue>('fast', 'agent', 'small'),
				messages: oneof(array(message, {maxLength: 3}), value),
				max_tokens: value,
				temperature: value,
				stop: value,
				stream: oneof(boolean(), value),
				tools: value,
				tool_choice: value,
				response_format: value,
				logit_bias: value,
				more: json,
			},
			{requiredKeys: ['model', 'messages']},
		);
		assert(
			property(body, one => {
				const refusal = refusalOf(one);
				const {more: _more, ...known} = one;
				const said = Object.fromEntries(Object.entries(known).filter(([, each]) => each !== null));
				const faults = refusal
					? []
					: faultsOf('CreateChatCompletionRequest', {...said, model: 'gpt-5'});
				expect(faults).toEqual([]);
				expect(refusal?.[0] ?? 'taken').toMatch(/^[a-z_]+/);
			}),
			{numRuns: propertyRuns(300)},
		);
	});
});

test('events are read alike, however their text is cut', () => {
	const line = oneof(
		constantFrom(
			'',
			'',
			'data',
			'data:',
			'data: x',
			'data:  y',
			': c',
			'event: e',
			'id: 1',
			'dat',
			'data : z',
		),
		string({maxLength: 8}).map(text => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
	);
	const lines = array(tuple(line, constantFrom('\n', '\r\n')), {maxLength: 20});
	const readAll = (parts: readonly string[]) => {
		const reader = createSseReader(1000);
		return [...parts.flatMap(part => reader.push(part)), ...reader.end()];
	};
	assert(
		property(lines, array(nat(5), {minLength: 1, maxLength: 40}), (some, sizes) => {
			const text = some.map(pair => pair.join('')).join('');
			const parts: string[] = [];
			let rest = text;
			for (const size of sizes) {
				parts.push(rest.slice(0, size));
				rest = rest.slice(size);
			}

			const expected = text
				.replaceAll('\r\n', '\n')
				.split(/\n\n+|^\n+/)
				.map(event =>
					event
						.split('\n')
						.filter(each => each === 'data' || each.startsWith('data:'))
						.map(each => each.slice(5).replace(/^ /, '')),
				)
				.filter(data => data.length > 0)
				.map(data => data.join('\n'));
			expect(readAll([...parts, rest])).toEqual(expected);
			expect(readAll([text])).toEqual(expected);
		}),
		{numRuns: propertyRuns(300)},
	);
	expect(() => createSseReader(10).push('data: 12345678901')).toThrow('no end');
	expect(() => createSseReader(10).push('data: 1234\ndata: 5678\ndata: 9\n')).toThrow('no end');
});

test('a long event that comes character by character does not hold up everybody', () => {
	const long = 2 ** 21;
	const short = 2 ** 16;
	const reader = createSseReader(4 * 2 ** 20);
	reader.push(`data: ${'x'.repeat(long)}`);
	const early: unknown[] = [];
	for (let index = 0; index < short; index++) {
		// Copying all that is there for each of them would take minutes.
		early.push(...reader.push('y'));
	}

	expect(early).toEqual([]);
	expect(reader.push('\n\n')).toEqual(['x'.repeat(long) + 'y'.repeat(short)]);
});
