import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {RequestField, RequestFields} from '../chat/request-fields.ts';
import {messagesCheck} from './chat-messages.ts';
import {
	either,
	booleanCheck,
	isList,
	kindOf,
	listOf,
	mapOf,
	never,
	numberCheck,
	objectCheck,
	oneOf,
	required,
	textCheck,
	unsupported,
	whole,
	type FieldCheck,
} from './field-checks.ts';

export const maxCount = 2 ** 31 - 1;
const maxAnswers = 128;

const tool = kindOf('type', {
	function: objectCheck({
		function: required(
			objectCheck({
				name: required(textCheck),
				description: textCheck,
				parameters: objectCheck({}),
				strict: booleanCheck,
			}),
		),
	}),
	custom: objectCheck({custom: required(objectCheck({name: required(textCheck)}))}),
});

export const noTools: FieldCheck = (value, path) => {
	if (isList(value) && value.length > 0) {
		throw unsupported(path, 'an agent has tools of its own; a model with "relay" takes yours');
	}
};

const choices: FieldCheck = (value, path) => {
	whole(1, maxAnswers)(value, path);
	if (value !== 1) {
		throw unsupported(path, 'one answer is made for a request');
	}
};

const onlyText: FieldCheck = (value, path) => {
	listOf(textCheck)(value, path);
	if (isList(value) && value.some(one => one !== 'text')) {
		throw unsupported(path, 'answers are text');
	}
};

const plainText: FieldCheck = (value, path) => {
	if (isJsonObject(value) && value['type'] !== 'text') {
		throw unsupported(`${path}.type`, 'an agent answers with text');
	}
};

const off: FieldCheck = (value: JsonValue, path) => {
	if (value === true) {
		throw unsupported(path, 'an agent does not tell them');
	}
};

/** All fields of a request, in the order in which they are checked. @see manual/chat-api.md#requests */
export const chatFields: RequestFields = new Map<string, RequestField>([
	['model', {required: true, check: textCheck, agent: 'used'}],
	['messages', {required: true, check: messagesCheck, relay: true, agent: 'used'}],
	['stream', {check: booleanCheck, agent: 'used'}],
	['stream_options', {check: objectCheck({include_usage: booleanCheck}), agent: 'used'}],
	['max_tokens', {check: whole(1, maxCount), relay: true, agent: 'used'}],
	['max_completion_tokens', {check: whole(1, maxCount), relay: true, agent: 'used'}],
	['temperature', {check: numberCheck(0, 2), relay: true, agent: 'used'}],
	[
		'stop',
		{
			check: either(
				{text: textCheck, list: listOf(textCheck, {least: 1, most: 4})},
				'a text or a list of texts',
			),
			relay: true,
			agent: 'used',
		},
	],
	['n', {check: choices, agent: 'used'}],
	['top_p', {check: numberCheck(0, 1), relay: true}],
	['frequency_penalty', {check: numberCheck(-2, 2), relay: true}],
	['presence_penalty', {check: numberCheck(-2, 2), relay: true}],
	['seed', {check: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), relay: true}],
	['logit_bias', {check: mapOf(numberCheck(-100, 100)), relay: true}],
	['logprobs', {check: booleanCheck, relay: true, agent: off}],
	['top_logprobs', {check: whole(0, 20), relay: true}],
	['tools', {check: listOf(tool), relay: true, agent: noTools}],
	[
		'tool_choice',
		{
			check: either(
				{
					text: oneOf(['none', 'auto', 'required']),
					other: objectCheck({type: required(textCheck)}),
				},
				'a text or an object',
			),
			relay: true,
		},
	],
	['parallel_tool_calls', {check: booleanCheck, relay: true}],
	[
		'response_format',
		{
			check: kindOf('type', {
				text: objectCheck({}),
				json_object: objectCheck({}),
				json_schema: objectCheck({json_schema: required(objectCheck({name: required(textCheck)}))}),
			}),
			relay: true,
			agent: plainText,
		},
	],
	['reasoning_effort', {check: textCheck, relay: true}],
	['verbosity', {check: textCheck, relay: true}],
	['service_tier', {check: textCheck, relay: true}],
	['prediction', {check: objectCheck({}), relay: true}],
	['user', {check: textCheck, relay: true}],
	['safety_identifier', {check: textCheck, relay: true}],
	['prompt_cache_key', {check: textCheck, relay: true}],
	['modalities', {check: onlyText, agent: 'used'}],
	['audio', {check: never('answers are text'), agent: 'used'}],
	['web_search_options', {check: never('nothing is searched here'), agent: 'used'}],
	['functions', {check: never('use "tools"'), agent: 'used'}],
	['function_call', {check: never('use "tool_choice"'), agent: 'used'}],
]);
