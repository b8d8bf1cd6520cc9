import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {badRequest} from '../http/api-error.ts';
import {publicModel, type PublicModel, type PublicModels} from '../http/public-model.ts';
import {chatFields} from '../shapes/chat-fields.ts';
import {isList, textIn, unsupported} from '../shapes/field-checks.ts';
import {checkFields, checkForAgent, ignoredNames, isSaid} from './request-fields.ts';

/** A request that can be served, and by whom. */
export type ChatRequest = {
	readonly model: PublicModel;
	/** As it was sent, checked. */
	readonly body: JsonObject;
	readonly isStreamed: boolean;
	/** Whether the stream tells what was used. */
	readonly includesUsage: boolean;
	/** The smaller of what was asked for and what the model may. */
	readonly maxTokens?: number;
	/** Names of fields that are ignored, at most 20. */
	readonly ignored: readonly string[];
};

/** @throws ApiError 400, then 404 for the model, then 400 for what the model cannot be asked */
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

/** The smallest bound of an answer, if there is one. */
export function limitOf(
	{maxOutputTokens}: PublicModel,
	asked: readonly unknown[],
): Pick<ChatRequest, 'maxTokens'> {
	const limits = [...asked, maxOutputTokens].filter(limit => typeof limit === 'number');
	return limits.length > 0 ? {maxTokens: Math.min(...limits)} : {};
}

/** `stop`, as a list. */
export function stopsOf({stop}: JsonObject): readonly string[] {
	const list = isList(stop) ? stop : [stop];
	return list.filter(one => typeof one === 'string');
}
