import {isJsonObject} from '../../core/json.ts';
import type {RequestField, RequestFields} from '../chat/request-fields.ts';
import {maxCount, noTools} from '../shapes/chat-fields.ts';
import {
	either,
	flag,
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
} from '../shapes/field-checks.ts';
import {inputCheck, turnCheck} from './input-items.ts';
import {toolsCheck} from './tool-kinds.ts';

const notKept = 'nothing is kept here; send the whole conversation as "input"';

const off =
	(why: string): Check =>
	(value, path) => {
		flag(value, path);
		if (value === true) {
			throw unsupported(path, why);
		}
	};

const plainText: Check = (value, path) => {
	const format = isJsonObject(value) ? value['format'] : undefined;
	if (isJsonObject(format) && format['type'] !== 'text') {
		throw unsupported(`${path}.format.type`, 'an agent answers with text');
	}
};

const textField = objectOf({
	format: kindOf('type', {
		text: objectOf({}),
		json_object: objectOf({}),
		json_schema: objectOf({
			name: required(text),
			schema: required(objectOf({})),
			description: text,
			strict: flag,
		}),
	}),
	verbosity: text,
});

const toolChoice = either(
	{
		text: oneOf(['none', 'auto', 'required']),
		other: kindOf('type', {
			function: objectOf({name: required(text), namespace: text}),
			custom: objectOf({name: required(text)}),
			allowed_tools: objectOf({
				mode: oneOf(['auto', 'required']),
				tools: required(listOf(objectOf({type: required(text)}), {least: 1})),
			}),
		}),
	},
	'a text or an object',
);

const tokens = whole(1, maxCount);

/** All that a request may say. The order is that in which it is judged. @see manual/chat-api.md#responses */
export const responseFields: RequestFields = new Map<string, RequestField>([
	['model', {required: true, check: text, agent: 'used'}],
	['previous_response_id', {check: never(notKept), agent: 'used'}],
	['conversation', {check: never(notKept), agent: 'used'}],
	[
		'prompt',
		{check: never('nothing is kept here; send "instructions" and "input"'), agent: 'used'},
	],
	['background', {check: off('an answer is made while you wait'), agent: 'used'}],
	['input', {required: true, check: inputCheck, relay: true, agent: turnCheck}],
	['instructions', {check: text, agent: 'used'}],
	['stream', {check: flag, agent: 'used'}],
	['store', {check: flag, agent: 'used'}],
	['metadata', {check: mapOf(text), agent: 'used'}],
	['max_output_tokens', {check: tokens, relay: true, agent: 'used'}],
	['temperature', {check: number(0, 2), relay: true, agent: 'used'}],
	['tools', {check: toolsCheck, relay: true, agent: noTools}],
	['tool_choice', {check: toolChoice, relay: true}],
	['parallel_tool_calls', {check: flag, relay: true}],
	['text', {check: textField, relay: true, agent: plainText}],
	['top_p', {check: number(0, 1), relay: true}],
	['presence_penalty', {check: number(-2, 2), relay: true}],
	['frequency_penalty', {check: number(-2, 2), relay: true}],
	['reasoning', {check: objectOf({effort: text, summary: text}), relay: true}],
	['service_tier', {check: text, relay: true}],
	['safety_identifier', {check: text, relay: true}],
	['user', {check: text, relay: true}],
	// What a server other than OpenAI's makes of it is a refusal, and clients send it unasked.
	['prompt_cache_key', {check: text}],
	['include', {check: listOf(text)}],
	['truncation', {check: text}],
	['max_tool_calls', {check: tokens}],
	['top_logprobs', {check: whole(0, 20)}],
]);
