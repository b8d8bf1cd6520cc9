import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {RequestField, RequestFields} from '../chat/request-fields.ts';
import {messagesCheck} from './chat-messages.ts';
import {
	either,
	flag,
	isList,
	kindOf,
	listOf,
	mapOf,
	never,
	number,
	objectOf,
	oneOf,
	required,
	text,
	unsupported,
	whole,
	type Check,
} from './field-checks.ts';

export const maxCount = 2 ** 31 - 1;
const maxAnswers = 128;

const tool = kindOf('type', {
	function: objectOf({
		function: required(
			objectOf({
				name: required(text),
				description: text,
				parameters: objectOf({}),
				strict: flag,
			}),
		),
	}),
	custom: objectOf({custom: required(objectOf({name: required(text)}))}),
});

export const noTools: Check = (value, path) => {
	if (isList(value) && value.length > 0) {
		throw unsupported(path, 'an agent has tools of its own; a model with "relay" takes yours');
	}
};

const choices: Check = (value, path) => {
	whole(1, maxAnswers)(value, path);
	if (value !== 1) {
		throw unsupported(path, 'one answer is made for a request');
	}
};

const onlyText: Check = (value, path) => {
	listOf(text)(value, path);
	if (isList(value) && value.some(one => one !== 'text')) {
		throw unsupported(path, 'answers are text');
	}
};

const plainText: Check = (value, path) => {
	if (isJsonObject(value) && value['type'] !== 'text') {
		throw unsupported(`${path}.type`, 'an agent answers with text');
	}
};

const off: Check = (value: JsonValue, path) => {
	if (value === true) {
		throw unsupported(path, 'an agent does not tell them');
	}
};

/** All that a request may say. The order is that in which it is judged. @see manual/chat-api.md#requests */
export const chatFields: RequestFields = new Map<string, RequestField>([
	['model', {required: true, check: text, agent: 'used'}],
	['messages', {required: true, check: messagesCheck, relay: true, agent: 'used'}],
	['stream', {check: flag, agent: 'used'}],
	['stream_options', {check: objectOf({include_usage: flag}), agent: 'used'}],
	['max_tokens', {check: whole(1, maxCount), relay: true, agent: 'used'}],
	['max_completion_tokens', {check: whole(1, maxCount), relay: true, agent: 'used'}],
	['temperature', {check: number(0, 2), relay: true, agent: 'used'}],
	[
		'stop',
		{
			check: either({text, list: listOf(text, {least: 1, most: 4})}, 'a text or a list of texts'),
			relay: true,
			agent: 'used',
		},
	],
	['n', {check: choices, agent: 'used'}],
	['top_p', {check: number(0, 1), relay: true}],
	['frequency_penalty', {check: number(-2, 2), relay: true}],
	['presence_penalty', {check: number(-2, 2), relay: true}],
	['seed', {check: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), relay: true}],
	['logit_bias', {check: mapOf(number(-100, 100)), relay: true}],
	['logprobs', {check: flag, relay: true, agent: off}],
	['top_logprobs', {check: whole(0, 20), relay: true}],
	['tools', {check: listOf(tool), relay: true, agent: noTools}],
	[
		'tool_choice',
		{
			check: either(
				{text: oneOf(['none', 'auto', 'required']), other: objectOf({type: required(text)})},
				'a text or an object',
			),
			relay: true,
		},
	],
	['parallel_tool_calls', {check: flag, relay: true}],
	[
		'response_format',
		{
			check: kindOf('type', {
				text: objectOf({}),
				json_object: objectOf({}),
				json_schema: objectOf({json_schema: required(objectOf({name: required(text)}))}),
			}),
			relay: true,
			agent: plainText,
		},
	],
	['reasoning_effort', {check: text, relay: true}],
	['verbosity', {check: text, relay: true}],
	['service_tier', {check: text, relay: true}],
	['prediction', {check: objectOf({}), relay: true}],
	['user', {check: text, relay: true}],
	['safety_identifier', {check: text, relay: true}],
	['prompt_cache_key', {check: text, relay: true}],
	['modalities', {check: onlyText, agent: 'used'}],
	['audio', {check: never('answers are text'), agent: 'used'}],
	['web_search_options', {check: never('nothing is searched here'), agent: 'used'}],
	['functions', {check: never('use "tools"'), agent: 'used'}],
	['function_call', {check: never('use "tool_choice"'), agent: 'used'}],
]);
