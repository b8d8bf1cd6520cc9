import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {audioPart, lastIsOfUser, noCallsOfOthers} from '../shapes/chat-messages.ts';
import {
	either,
	isList,
	kindOf,
	listOf,
	missing,
	never,
	objectCheck,
	oneOf,
	required,
	textCheck,
	textIn,
	unsupported,
	type FieldCheck,
} from '../shapes/field-checks.ts';

const textPart = objectCheck({text: required(textCheck)});

/** Checks that a part contains its data: no files are stored here. */
const brought =
	(name: string, others: readonly string[]): FieldCheck =>
	(value, path) => {
		objectCheck({[name]: textCheck})(value, path);
		if (!isJsonObject(value) || typeof value[name] === 'string') {
			return;
		}

		const other = others.find(one => value[one] !== undefined && value[one] !== null);
		throw other === undefined
			? missing(`${path}.${name}`)
			: unsupported(`${path}.${other}`, `files are not kept here; send "${name}"`);
	};

/** @returns a check that applies both, one after the other */
const both =
	(first: FieldCheck, second: FieldCheck): FieldCheck =>
	(value, path) => {
		first(value, path);
		second(value, path);
	};

const texts = {input_text: textPart, output_text: textPart, text: textPart} as const;
const others = {
	input_image: both(objectCheck({detail: textCheck}), brought('image_url', ['file_id'])),
	input_file: both(
		objectCheck({filename: textCheck}),
		brought('file_data', ['file_url', 'file_id']),
	),
} as const;

const content = either(
	{
		text: textCheck,
		list: listOf(
			kindOf('type', {
				...texts,
				refusal: objectCheck({refusal: required(textCheck)}),
				...others,
				input_audio: audioPart,
			}),
		),
	},
	'a text or a list of parts',
);

const message = objectCheck({
	role: required(oneOf(['user', 'assistant', 'system', 'developer'])),
	content: required(content),
});

const output = objectCheck({
	call_id: required(textCheck),
	output: required(
		either(
			{text: textCheck, list: listOf(kindOf('type', {...texts, ...others}))},
			'a text or a list of parts',
		),
	),
});

const call = (said: string) =>
	objectCheck({
		call_id: required(textCheck),
		name: required(textCheck),
		namespace: textCheck,
		[said]: required(textCheck),
	});

const kinds = kindOf('type', {
	message,
	function_call: call('arguments'),
	function_call_output: output,
	custom_tool_call: call('input'),
	custom_tool_call_output: output,
	reasoning: objectCheck({}),
	item_reference: never('nothing is kept here; send the item itself ("store": false in clients)'),
});

/** A message may omit its `type`. */
const item: FieldCheck = (value, path) => {
	(isJsonObject(value) && (value['type'] ?? null) === null && value['role'] !== undefined
		? message
		: kinds)(value, path);
};

/** Checks `input`: a text, or at least one item. */
export const inputCheck: FieldCheck = either(
	{text: textCheck, list: listOf(item, {least: 1})},
	'a text or a list of items',
);

/** Checks for items that an agent does not support. */
export const turnCheck: FieldCheck = (input: JsonValue, path) => {
	const items = isList(input) ? input : [];
	for (const [index, one] of items.entries()) {
		checkForTurn(one, `${path}[${index}]`);
	}

	const last = items.at(-1);
	if (isJsonObject(last) && last['role'] !== 'user') {
		const member = last['role'] === undefined ? 'type' : 'role';
		throw unsupported(`${path}[${items.length - 1}].${member}`, lastIsOfUser);
	}
};

function checkForTurn(one: JsonValue, path: string): void {
	if (!isJsonObject(one)) {
		return;
	}

	const type = textIn(one['type']) || 'message';
	if (type !== 'message' && type !== 'reasoning') {
		throw unsupported(`${path}.type`, noCallsOfOthers);
	}

	const parts = isList(one['content']) ? one['content'] : [];
	for (const [index, part] of parts.entries()) {
		const kind = isJsonObject(part) ? textIn(part['type']) : '';
		if (type === 'message' && kind !== 'refusal' && !Object.hasOwn(texts, kind)) {
			throw unsupported(`${path}.content[${index}].type`, 'an agent takes text');
		}
	}
}
