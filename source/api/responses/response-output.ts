import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {FinishReason} from '../shapes/chat-shapes.ts';
import {isList, textIn} from '../shapes/field-checks.ts';
import {openCall, openMessage, openReasoning, type EmitEvent, type Said} from './output-items.ts';
import {isCut} from './response-shapes.ts';
import type {CallableTools} from './tool-names.ts';

type Speech = ReturnType<typeof openMessage>;
type Thought = ReturnType<typeof openReasoning>;
type Call = ReturnType<typeof openCall>;

/** Unfinished items. Messages and reasoning are sequential; calls may be interleaved, and end with the answer. */
type OpenSpeech =
	| {readonly kind: 'message'; readonly index: number; readonly item: Speech}
	| {readonly kind: 'reasoning'; readonly index: number; readonly item: Thought};

type OpenCall = {
	readonly id: string;
	name: string;
	/** Arguments received before the call has a name. */
	pending: string;
	open?: {readonly index: number; readonly item: Call};
};

export function createOutput(names: Pick<CallableTools, 'meant'>, emit: EmitEvent) {
	const items: Array<JsonObject | undefined> = [];
	const calls = new Map<number, OpenCall>();
	let open: OpenSpeech | undefined;

	const close = (status: 'completed' | 'incomplete') => {
		if (open) {
			items[open.index] = open.item.end(status);
			open = undefined;
		}
	};

	/** The index of the next item; ends the current one. */
	const next = () => {
		close('completed');
		return items.push(undefined) - 1;
	};

	const say = (kind: Said, text: string) => {
		if (open?.kind !== 'message') {
			const index = next();
			open = {kind: 'message', index, item: openMessage({index, emit})};
		}

		open.item.add(kind, text);
	};

	const think = (text: string) => {
		if (open?.kind !== 'reasoning') {
			const index = next();
			open = {kind: 'reasoning', index, item: openReasoning({index, emit})};
		}

		open.item.add(text);
	};

	const begin = (call: OpenCall) => {
		const index = next();
		const item = openCall({index, emit}, {callId: call.id, name: call.name}, names);
		call.open = {index, item};
		item.add(call.pending);
		return call.open;
	};

	const addCall = (at: number, {id, function: called}: JsonObject) => {
		const call = calls.get(at) ?? {id: textIn(id), name: '', pending: ''};
		calls.set(at, call);
		const {name, arguments: given} = isJsonObject(called) ? called : {};
		if (call.open) {
			call.open.item.add(textIn(given));
			return;
		}

		call.name += textIn(name);
		call.pending += textIn(given);
		if (call.name !== '') {
			begin(call);
		}
	};

	return {
		/** Adds a delta, or a complete message. */
		add({
			content,
			refusal,
			reasoning_content: thought,
			reasoning,
			tool_calls: made,
		}: JsonObject): void {
			const thinks = textIn(thought) || textIn(reasoning);
			if (thinks !== '') {
				think(thinks);
			}

			if (textIn(content) !== '') {
				say('output_text', textIn(content));
			}

			if (textIn(refusal) !== '') {
				say('refusal', textIn(refusal));
			}

			for (const [position, call] of (isList(made) ? made : []).entries()) {
				if (isJsonObject(call)) {
					addCall(typeof call['index'] === 'number' ? call['index'] : position, call);
				}
			}
		},
		/** Ends the answer and returns all items. */
		end(reason: FinishReason): readonly JsonObject[] {
			const status = isCut(reason) ? 'incomplete' : 'completed';
			if (items.length === 0 && calls.size === 0) {
				say('output_text', '');
			}

			close(status);
			for (const call of calls.values()) {
				const {index, item} = call.open ?? begin(call);
				items[index] = item.end(status);
			}

			return items.filter(item => item !== undefined);
		},
		/** The finished items. */
		done: (): readonly JsonObject[] => items.filter(item => item !== undefined),
	};
}
