import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {limitOf, type ChatRequest} from '../chat/chat-request.ts';
import {checkFields, checkForAgent, ignoredNames, isSaid} from '../chat/request-fields.ts';
import {badRequest} from '../http/api-error.ts';
import {publicModel, type PublicModels} from '../http/public-model.ts';
import {textIn} from '../shapes/field-checks.ts';
import {chatMessages} from './chat-of-items.ts';
import {responseFields} from './response-fields.ts';
import {createToolNames, type CallableTools} from './tool-names.ts';

/** A valid request, as the equivalent chat completion. */
export type ResponseRequest = ChatRequest & {
	/** The body as sent, checked. */
	readonly asked: JsonObject;
	readonly names: CallableTools;
};

/** @throws ApiError 400, then 404 for the model, then 400 for what the model does not support */
export function readResponseRequest(asked: JsonObject, models: PublicModels): ResponseRequest {
	if (!isSaid(asked['input']) && isSaid(asked['messages'])) {
		throw badRequest(
			'Cannot read the request: "input" is missing; a body with "messages" is one for POST /v1/chat/completions',
			'missing_required_parameter',
			'input',
		);
	}

	checkFields(asked, responseFields);
	const model = publicModel(textIn(asked['model']), models);
	if (model.agent) {
		checkForAgent(asked, responseFields);
	}

	// An agent has its own tools.
	const names = createToolNames(model.agent ? {} : asked);
	return {
		model,
		asked,
		names,
		body: chatBody(asked, names),
		isStreamed: asked['stream'] === true,
		includesUsage: true,
		...limitOf(model, [asked['max_output_tokens']]),
		ignored: ignoredNames(asked, {
			fields: responseFields,
			model,
			others: names.leftOut.map(type => `tools.${type}`),
		}),
	};
}

/** Fields that are equal in both formats. */
const sameFields = [
	'temperature',
	'top_p',
	'presence_penalty',
	'frequency_penalty',
	'service_tier',
	'safety_identifier',
	'user',
] as const;

function chatBody(asked: JsonObject, names: CallableTools): JsonObject {
	const {text, reasoning, parallel_tool_calls: parallel} = asked;
	const {verbosity, format} = isJsonObject(text) ? text : {};
	const effort = isJsonObject(reasoning) ? reasoning['effort'] : undefined;
	return {
		messages: chatMessages(asked, names),
		...Object.fromEntries(
			sameFields.flatMap(name => {
				const value = asked[name];
				return isSaid(value) ? [[name, value]] : [];
			}),
		),
		...names.fields,
		// Omitted when true: that is the default, and some servers refuse the field.
		...(parallel === false && 'tools' in names.fields && {parallel_tool_calls: false}),
		...(isSaid(verbosity) && {verbosity}),
		...(isSaid(effort) && {reasoning_effort: effort}),
		...(isJsonObject(format) && format['type'] !== 'text' && {response_format: chatFormat(format)}),
	};
}

function chatFormat({type = null, ...schema}: JsonObject): JsonObject {
	return type === 'json_schema'
		? {
				type,
				json_schema: Object.fromEntries(
					Object.entries(schema).filter(([, value]) => isSaid(value)),
				),
			}
		: {type};
}
