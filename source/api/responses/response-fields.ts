import {isJsonObject} from '../../core/json.ts';
import type {RequestField, RequestFields} from '../chat/request-fields.ts';
import {maxCount, noTools} from '../shapes/chat-fields.ts';
import {
	either,
	booleanCheck,
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
} from '../shapes/field-checks.ts';
import {inputCheck, turnCheck} from './input-items.ts';
import {toolsCheck} from './tool-kinds.ts';

const notKept = 'nothing is kept here; send the whole conversation as "input"';

const off =
	(why: string): FieldCheck =>
	(value, path) => {
		booleanCheck(value, path);
		if (value === true) {
			throw unsupported(path, why);
		}
	};

const plainText: FieldCheck = (value, path) => {
	const format = isJsonObject(value) ? value['format'] : undefined;
	if (isJsonObject(format) && format['type'] !== 'text') {
		throw unsupported(`${path}.format.type`, 'an agent answers with text');
	}
};

const textField = objectCheck({
	format: kindOf('type', {
		text: objectCheck({}),
		json_object: objectCheck({}),
		json_schema: objectCheck({
			name: required(textCheck),
			schema: required(objectCheck({})),
			description: textCheck,
			strict: booleanCheck,
		}),
	}),
	verbosity: textCheck,
});

const toolChoice = either(
	{
		text: oneOf(['none', 'auto', 'required']),
		other: kindOf('type', {
			function: objectCheck({name: required(textCheck), namespace: textCheck}),
			custom: objectCheck({name: required(textCheck)}),
			allowed_tools: objectCheck({
				mode: oneOf(['auto', 'required']),
				tools: required(listOf(objectCheck({type: required(textCheck)}), {least: 1})),
			}),
		}),
	},
	'a text or an object',
);

const tokens = whole(1, maxCount);

/** All fields of a request, in the order in which they are checked. @see manual/chat-api.md#responses */
export const responseFields: RequestFields = new Map<string, RequestField>([
	['model', {required: true, check: textCheck, agent: 'used'}],
	['previous_response_id', {check: never(notKept), agent: 'used'}],
	['conversation', {check: never(notKept), agent: 'used'}],
	[
		'prompt',
		{check: never('nothing is kept here; send "instructions" and "input"'), agent: 'used'},
	],
	['background', {check: off('an answer is made while you wait'), agent: 'used'}],
	['input', {required: true, check: inputCheck, relay: true, agent: turnCheck}],
	['instructions', {check: textCheck, agent: 'used'}],
	['stream', {check: booleanCheck, agent: 'used'}],
	['store', {check: booleanCheck, agent: 'used'}],
	['metadata', {check: mapOf(textCheck), agent: 'used'}],
	['max_output_tokens', {check: tokens, relay: true, agent: 'used'}],
	['temperature', {check: numberCheck(0, 2), relay: true, agent: 'used'}],
	['tools', {check: toolsCheck, relay: true, agent: noTools}],
	['tool_choice', {check: toolChoice, relay: true}],
	['parallel_tool_calls', {check: booleanCheck, relay: true}],
	['text', {check: textField, relay: true, agent: plainText}],
	['top_p', {check: numberCheck(0, 1), relay: true}],
	['presence_penalty', {check: numberCheck(-2, 2), relay: true}],
	['frequency_penalty', {check: numberCheck(-2, 2), relay: true}],
	['reasoning', {check: objectCheck({effort: textCheck, summary: textCheck}), relay: true}],
	['service_tier', {check: textCheck, relay: true}],
	['safety_identifier', {check: textCheck, relay: true}],
	['user', {check: textCheck, relay: true}],
	// Not passed on: servers other than OpenAI's refuse it, and clients send it by default.
	['prompt_cache_key', {check: textCheck}],
	['include', {check: listOf(textCheck)}],
	['truncation', {check: textCheck}],
	['max_tool_calls', {check: tokens}],
	['top_logprobs', {check: whole(0, 20)}],
]);
