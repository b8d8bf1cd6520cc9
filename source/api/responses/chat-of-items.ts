import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {isList, textIn} from '../shapes/field-checks.ts';
import type {CallableTools} from './tool-names.ts';

/** Converts instructions and items, both checked, to messages of a chat completion. Reasoning is not sent to the model again. */
export function chatMessages(
	{instructions, input}: JsonObject,
	names: Pick<CallableTools, 'wireName'>,
): readonly JsonObject[] {
	const messages = createMessages();
	if (typeof instructions === 'string' && instructions !== '') {
		messages.add({role: 'system', content: instructions});
	}

	const items = isList(input)
		? input.filter(isJsonObject)
		: [{role: 'user', content: textIn(input)}];
	for (const item of items) {
		itemKinds[textIn(item['type']) || 'message']?.(messages, item, names);
	}

	return messages.all();
}

type ItemKind = (
	messages: Messages,
	item: JsonObject,
	names: Pick<CallableTools, 'wireName'>,
) => void;

const addCall: ItemKind = (messages, item, {wireName}) => {
	const {type, call_id: id = null, name, namespace, arguments: given, input} = item;
	messages.call({
		id,
		type: 'function',
		function: {
			name: wireName({name: textIn(name), namespace: textIn(namespace)}),
			arguments: type === 'function_call' ? textIn(given) : JSON.stringify({input: textIn(input)}),
		},
	});
};

const addResult: ItemKind = (messages, {call_id: id = null, output}) => messages.result(id, output);

const itemKinds: Readonly<Record<string, ItemKind>> = {
	message(messages, {role, content}) {
		messages.add({
			// Templates of self-hosted models do not know the role `developer`.
			role: role === 'developer' ? 'system' : textIn(role),
			content: contentOf(content),
		});
	},
	function_call: addCall,
	custom_tool_call: addCall,
	function_call_output: addResult,
	custom_tool_call_output: addResult,
	reasoning() {},
};

type Messages = ReturnType<typeof createMessages>;

/** A message under construction, in linear time: there may be many items. */
type Draft = {
	readonly role: string;
	/** Texts of the message, unless it consists of parts. */
	readonly texts: string[];
	readonly parts?: readonly JsonObject[];
	readonly calls: JsonObject[];
};

const messageOf = ({role, texts, parts, calls}: Draft): JsonObject => {
	const text = texts.filter(one => one !== '').join('\n\n');
	const content = parts ?? (calls.length > 0 && text === '' ? null : text);
	return {role, content, ...(calls.length > 0 && {tool_calls: calls})};
};

/** Assembles messages as servers expect them, in this order: calls together with the text before them, then their results, then everything else. */
function createMessages() {
	const all: JsonObject[] = [];
	let draft: Draft | undefined;
	/** Pictures in results, which themselves can only be text. */
	let pictures: JsonObject[] = [];

	const endDraft = () => {
		if (draft) {
			all.push(messageOf(draft));
			draft = undefined;
		}
	};
	const showPictures = () => {
		if (pictures.length > 0) {
			all.push({role: 'user', content: pictures});
			pictures = [];
		}
	};
	const begin = (role: string, content?: string | readonly JsonObject[]): Draft => {
		endDraft();
		showPictures();
		draft = {
			role,
			texts: typeof content === 'string' ? [content] : [],
			...(typeof content === 'object' && {parts: content}),
			calls: [],
		};
		return draft;
	};

	return {
		add({
			role,
			content,
		}: {
			readonly role: string;
			readonly content: string | readonly JsonObject[];
		}) {
			// Some templates accept only one system message, and text between a call and its result breaks the order.
			const isOne =
				draft?.role === role &&
				!draft.parts &&
				(role === 'system' || (role === 'assistant' && draft.calls.length > 0));
			if (draft && isOne && typeof content === 'string') {
				draft.texts.push(content);
			} else {
				begin(role, content);
			}
		},
		call(call: JsonObject) {
			(draft?.role === 'assistant' ? draft : begin('assistant')).calls.push(call);
		},
		result(id: JsonValue, output: JsonValue | undefined) {
			endDraft();
			const parts = isList(output) ? output.filter(isJsonObject) : [];
			const shown = parts.filter(part => !isTextPart(part)).map(partOf);
			const words = parts.filter(isTextPart).map(({text}) => textIn(text));
			all.push({
				role: 'tool',
				tool_call_id: id,
				content: isList(output)
					? [...words, ...(shown.length > 0 ? ['(shown in the next message)'] : [])].join('\n')
					: textIn(output),
			});
			for (const picture of shown) {
				pictures.push(picture);
			}
		},
		all() {
			endDraft();
			showPictures();
			return all;
		},
	};
}

const isTextPart = ({type}: JsonObject): boolean =>
	type === 'input_text' || type === 'output_text' || type === 'text' || type === 'refusal';

/** A text, unless there are other parts. */
function contentOf(content: JsonValue | undefined): string | readonly JsonObject[] {
	if (!isList(content)) {
		return textIn(content);
	}

	const parts = content.filter(isJsonObject);
	return parts.every(isTextPart)
		? parts.map(({text, refusal}) => textIn(text ?? refusal)).join('\n')
		: parts.map(partOf);
}

function partOf(part: JsonObject): JsonObject {
	const {image_url: url = null, detail, filename, file_data: data = null} = part;
	switch (textIn(part['type'])) {
		case 'input_image':
			return {type: 'image_url', image_url: {url, ...(typeof detail === 'string' && {detail})}};

		case 'input_file':
			return {
				type: 'file',
				file: {file_data: data, ...(typeof filename === 'string' && {filename})},
			};

		case 'input_audio':
			return {type: 'input_audio', input_audio: part['input_audio'] ?? null};

		default:
			return {type: 'text', text: textIn(part['text'] ?? part['refusal'])};
	}
}
