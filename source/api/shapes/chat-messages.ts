import {estimatedTokens, textBytesIn} from '../../core/bounds.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {spokenText} from '../../core/session.ts';
import type {TurnMessage} from '../agent-turns.ts';
import {
	either,
	isList,
	kindOf,
	listOf,
	missing,
	objectCheck,
	required,
	textCheck,
	unsupported,
	type FieldCheck,
} from './field-checks.ts';

const textPart = objectCheck({text: required(textCheck)});

const content = (parts: Readonly<Record<string, FieldCheck>>): FieldCheck =>
	either(
		{text: textCheck, list: listOf(kindOf('type', parts), {least: 1})},
		'a text or a list of parts',
	);

const plain = objectCheck({content: required(content({text: textPart})), name: textCheck});

const functionCall = objectCheck({name: required(textCheck), arguments: required(textCheck)});

const toolCall = objectCheck({
	id: required(textCheck),
	type: required(textCheck),
	function: functionCall,
});

const assistant: FieldCheck = (value, path) => {
	objectCheck({
		content: content({text: textPart, refusal: objectCheck({refusal: required(textCheck)})}),
		refusal: textCheck,
		name: textCheck,
		tool_calls: listOf(toolCall),
	})(value, path);
	const says = (name: string) =>
		isJsonObject(value) && value[name] !== undefined && value[name] !== null;
	if (!['content', 'tool_calls', 'refusal'].some(says)) {
		throw missing(`${path}.content`);
	}
};

/** An audio part of a user's message. */
export const audioPart = objectCheck({
	input_audio: required(objectCheck({data: required(textCheck), format: required(textCheck)})),
});

const user = objectCheck({
	content: required(
		content({
			text: textPart,
			image_url: objectCheck({
				image_url: required(objectCheck({url: required(textCheck), detail: textCheck})),
			}),
			input_audio: audioPart,
			file: objectCheck({file: required(objectCheck({}))}),
		}),
	),
	name: textCheck,
});

/** Checks `messages`: at least one, each according to its role. */
export const messagesCheck: FieldCheck = listOf(
	kindOf('role', {
		system: plain,
		developer: plain,
		user,
		assistant,
		tool: objectCheck({
			content: required(content({text: textPart})),
			tool_call_id: required(textCheck),
		}),
	}),
	{least: 1},
);

export const lastIsOfUser = 'the last message to an agent is that of the user';

export const noCallsOfOthers = 'an agent has tools of its own, and takes no calls of others';

/** Converts checked messages for an agent. @throws ApiError 400 for content that only a model itself accepts */
export function turnMessages(messages: JsonValue | undefined): readonly TurnMessage[] {
	const list = listOfObjects(messages);
	const turn = list.map((message, index) => turnMessage(message, `messages[${index}]`));
	if (turn.at(-1)?.role !== 'user') {
		throw unsupported(`messages[${turn.length - 1}].role`, lastIsOfUser);
	}

	return turn;
}

function turnMessage(message: JsonObject, path: string): TurnMessage {
	const role = message['role'];
	if (role === 'tool' || listOfObjects(message['tool_calls']).length > 0) {
		throw unsupported(`${path}.${role === 'tool' ? 'role' : 'tool_calls'}`, noCallsOfOthers);
	}

	for (const [index, part] of listOfObjects(message['content']).entries()) {
		if (part['type'] !== 'text' && part['type'] !== 'refusal') {
			throw unsupported(`${path}.content[${index}].type`, 'an agent takes text');
		}
	}

	return spokenMessage(message);
}

/** All texts of the messages, for the offline model and for estimates. */
export const textMessages = (messages: JsonValue | undefined): readonly TurnMessage[] =>
	listOfObjects(messages).map(spokenMessage);

const spokenMessage = (message: JsonObject): TurnMessage => {
	const {role} = message;
	const known = role === 'user' || role === 'assistant' ? role : 'system';
	return {role: known, text: spokenText(message)};
};

const listOfObjects = (value: JsonValue | undefined): readonly JsonObject[] =>
	isList(value) ? value.filter(isJsonObject) : [];

/** Size of a value as JSON, bytes. */
const bytesOf = (said: JsonValue | undefined): number =>
	said === undefined || said === null ? 0 : Buffer.byteLength(JSON.stringify(said));

/** Tokens assumed for a picture, audio or a file: the real number is unknown. */
const tokensOfPart = 1000;

/** Keys that name the kind of a member. */
const kinds: ReadonlySet<string> = new Set(['role', 'type']);

/** Estimates the tokens of everything that a request sends to the model: messages with all their content, definitions of tools, and a predicted answer. */
export function promptTokens({
	messages,
	tools,
	response_format: format,
	prediction,
}: JsonObject): number {
	let bytes = [tools, format, prediction].reduce<number>((sum, said) => sum + bytesOf(said), 0);
	let others = 0;
	for (const {content: written, tool_calls: calls, ...more} of listOfObjects(messages)) {
		const parts = isList(written) ? listOfObjects(written) : [];
		const texts = parts.filter(({type}) => type === 'text' || type === 'refusal');
		bytes += textBytesIn(isList(written) ? texts : written, kinds);
		bytes += bytesOf(calls) + textBytesIn(more, kinds);
		others += parts.length - texts.length;
	}

	return estimatedTokens(bytes) + others * tokensOfPart;
}
