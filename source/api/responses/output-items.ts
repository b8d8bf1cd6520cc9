import {type JsonObject, parsedObject} from '../../core/json.ts';
import {newId} from './response-shapes.ts';
import type {CallableTools} from './tool-names.ts';

/** Emits an event of an answer. */
export type EmitEvent = (type: string, fields: JsonObject) => void;

type ItemStatus = 'completed' | 'incomplete';

/** An unfinished item. */
type OpenItem = {
	/** Ends the item and returns it. */
	end(status: ItemStatus): JsonObject;
};

/** The index of an item, and where its events go. */
type Place = {readonly index: number; readonly emit: EmitEvent};

function begin({index, emit}: Place, item: JsonObject): void {
	emit('response.output_item.added', {output_index: index, item});
}

function end({index, emit}: Place, item: JsonObject): JsonObject {
	emit('response.output_item.done', {output_index: index, item});
	return item;
}

export type Said = 'output_text' | 'refusal';

type MessageItem = OpenItem & {add(kind: Said, text: string): void};

/** A message; refusals are separate parts of it. */
export function openMessage(place: Place): MessageItem {
	const id = newId('msg');
	const {index, emit} = place;
	const item = {id, type: 'message', role: 'assistant'} as const;
	const content: JsonObject[] = [];
	let open: {readonly kind: Said; text: string} | undefined;

	const at = () => ({item_id: id, output_index: index, content_index: content.length});
	const part = (kind: Said, text: string): JsonObject =>
		kind === 'refusal'
			? {type: kind, refusal: text}
			: {type: kind, text, annotations: [], logprobs: []};
	const close = () => {
		if (open) {
			const {kind, text} = open;
			const said = kind === 'refusal' ? {refusal: text} : {text, logprobs: []};
			emit(`response.${kind}.done`, {...at(), ...said});
			emit('response.content_part.done', {...at(), part: part(kind, text)});
			content.push(part(kind, text));
			open = undefined;
		}
	};

	begin(place, {...item, status: 'in_progress', content: []});
	return {
		add(kind, text) {
			if (open?.kind !== kind) {
				close();
				open = {kind, text: ''};
				emit('response.content_part.added', {...at(), part: part(kind, '')});
			}

			if (text !== '') {
				open.text += text;
				const more = kind === 'refusal' ? {} : {logprobs: []};
				emit(`response.${kind}.delta`, {...at(), delta: text, ...more});
			}
		},
		end(status) {
			close();
			return end(place, {...item, status, content});
		},
	};
}

type ReasoningItem = OpenItem & {add(text: string): void};

/** Reasoning, as a summary: the only format that all clients know. */
export function openReasoning(place: Place): ReasoningItem {
	const id = newId('rs');
	const {index, emit} = place;
	const at = {item_id: id, output_index: index, summary_index: 0} as const;
	const part = () => ({type: 'summary_text', text: said});
	let said = '';

	begin(place, {id, type: 'reasoning', summary: []});
	emit('response.reasoning_summary_part.added', {...at, part: part()});
	return {
		add(text) {
			said += text;
			emit('response.reasoning_summary_text.delta', {...at, delta: text});
		},
		end() {
			emit('response.reasoning_summary_text.done', {...at, text: said});
			emit('response.reasoning_summary_part.done', {...at, part: part()});
			return end(place, {id, type: 'reasoning', summary: [part()]});
		},
	};
}

type CallItem = OpenItem & {add(text: string): void};

/** A tool call, which may arrive in pieces. */
export function openCall(
	place: Place,
	{callId, name}: {readonly callId: string; readonly name: string},
	names: Pick<CallableTools, 'meant'>,
): CallItem {
	const meant = names.meant(name);
	return meant.kind === 'custom'
		? openCustomCall(place, {callId, name: meant.name})
		: openFunctionCall(place, {
				call_id: callId,
				name: meant.name,
				...(meant.namespace !== undefined && {namespace: meant.namespace}),
			});
}

function openFunctionCall(place: Place, called: JsonObject): CallItem {
	const id = newId('fc');
	const {index, emit} = place;
	const at = {item_id: id, output_index: index} as const;
	const item = {id, type: 'function_call', ...called} as const;
	let said = '';

	begin(place, {...item, arguments: '', status: 'in_progress'});
	return {
		add(text) {
			if (text !== '') {
				said += text;
				emit('response.function_call_arguments.delta', {...at, delta: text});
			}
		},
		end(status) {
			const {name = ''} = called;
			emit('response.function_call_arguments.done', {...at, name, arguments: said});
			return end(place, {...item, arguments: said, status});
		},
	};
}

/** A call of a custom tool. Its text is an argument of the function that represents it, so it is known once the arguments are complete. */
function openCustomCall(
	place: Place,
	{callId, name}: {readonly callId: string; readonly name: string},
): CallItem {
	const id = newId('ctc');
	const {index, emit} = place;
	const at = {item_id: id, output_index: index} as const;
	const item = {id, type: 'custom_tool_call', call_id: callId, name} as const;
	let said = '';

	begin(place, {...item, input: '', status: 'in_progress'});
	return {
		add(text) {
			said += text;
		},
		end(status) {
			const input = inputIn(said);
			emit('response.custom_tool_call_input.delta', {...at, delta: input});
			emit('response.custom_tool_call_input.done', {...at, input});
			return end(place, {...item, input, status});
		},
	};
}

function inputIn(said: string): string {
	const {input} = parsedObject(said) ?? {};
	return typeof input === 'string' ? input : said;
}
