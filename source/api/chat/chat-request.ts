import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {badRequest} from '../http/api-error.ts';
import {publicModel, type PublicModel, type PublicModels} from '../http/public-model.ts';
import {chatFields} from '../shapes/chat-fields.ts';
import {isList, textIn, unsupported} from '../shapes/field-checks.ts';
import {checkFields, checkForAgent, ignoredNames, isSaid} from './request-fields.ts';

/** A valid request, with its model. */
export type ChatRequest = {
	readonly model: PublicModel;
	/** The body as sent, checked. */
	readonly body: JsonObject;
	readonly isStreamed: boolean;
	/** Whether the stream reports usage. */
	readonly includesUsage: boolean;
	/** The lower of the requested limit and the model's. */
	readonly maxTokens?: number;
	/** Names of fields that are ignored, at most 20. */
	readonly ignored: readonly string[];
};

/** @throws ApiError 400, then 404 for the model, then 400 for what the model does not support */
export function readChatRequest(body: JsonObject, models: PublicModels): ChatRequest {
	if (!isSaid(body['messages']) && isSaid(body['input'])) {
		throw badRequest(
			'Cannot read the request: "messages" is missing; a body with "input" is one for POST /v1/responses',
			'missing_required_parameter',
			'messages',
		);
	}

	checkFields(body, chatFields);
	if (isSaid(body['stream_options']) && body['stream'] !== true) {
		throw unsupported('stream_options', 'they are for "stream": true');
	}

	const model = publicModel(textIn(body['model']), models);
	if (model.agent) {
		checkForAgent(body, chatFields);
	}

	const options = body['stream_options'];
	return {
		model,
		body,
		isStreamed: body['stream'] === true,
		includesUsage: isJsonObject(options) && options['include_usage'] === true,
		...limitOf(model, [body['max_tokens'], body['max_completion_tokens']]),
		ignored: ignoredNames(body, {fields: chatFields, model}),
	};
}

/** The lowest limit of the answer's tokens, if there is one. */
export function limitOf(
	{maxOutputTokens}: PublicModel,
	asked: readonly unknown[],
): Pick<ChatRequest, 'maxTokens'> {
	const limits = [...asked, maxOutputTokens].filter(limit => typeof limit === 'number');
	return limits.length > 0 ? {maxTokens: Math.min(...limits)} : {};
}

/** The field `stop` as a list. */
export function stopsOf({stop}: JsonObject): readonly string[] {
	const list = isList(stop) ? stop : [stop];
	return list.filter(one => typeof one === 'string');
}
