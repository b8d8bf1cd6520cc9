import {randomUUID} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import {isTokenCount} from '../../core/run.ts';
import {finishReasons, type ChatUsage, type FinishReason} from '../shapes/chat-shapes.ts';
import {garbled} from './upstream-failure.ts';

/** Finish reasons of other servers; unknown ones count as a normal end. */
const otherReasons: Readonly<Record<string, FinishReason>> = {
	max_tokens: 'length',
	model_length: 'length',
	tool_use: 'tool_calls',
	refusal: 'content_filter',
	safety: 'content_filter',
};

/** @throws ApiError for `error`, which is not a finish reason */
export function finishReasonOf(reason: string): FinishReason {
	const name = reason.toLowerCase();
	if (name === 'error') {
		throw garbled('it ends with an error');
	}

	return (
		finishReasons.find(one => one === name) ??
		(Object.hasOwn(otherReasons, name) ? otherReasons[name] : undefined) ??
		'stop'
	);
}

/** Maximum number of tool calls in an answer. */
const maxCalls = 1024;

/** The assistant's part of a message or a delta: text parts are joined, empty members and the role are dropped. @throws ApiError */
export function sayingsOf(said: JsonObject, toolCalls: JsonValue): JsonObject {
	if (isTextAlone(said)) {
		return said['content'] === '' ? {} : {content: said['content'] ?? ''};
	}

	const {role: _role, content, tool_calls: _calls, ...others} = said;
	const kept = Object.entries(others).filter(([, value]) => value !== null && value !== '');
	const text = contentOf(content);
	return {
		...(text !== '' && {content: text}),
		...(Array.isArray(toolCalls) && toolCalls.length > 0 && {tool_calls: toolCalls}),
		...Object.fromEntries(kept),
	};
}

/** A fast path: most deltas are just text. */
function isTextAlone(said: JsonObject): boolean {
	for (const name in said) {
		if (name !== 'content' && name !== 'role') {
			return false;
		}
	}

	return typeof said['content'] === 'string';
}

function contentOf(content: JsonValue | undefined): string {
	if (content === undefined || content === null) {
		return '';
	}

	if (typeof content === 'string') {
		return content;
	}

	if (!Array.isArray(content)) {
		throw garbled('"content" is no text');
	}

	return content
		.filter(isJsonObject)
		.map(({text}) => (typeof text === 'string' ? text : ''))
		.join('');
}

/** Complete tool calls. @throws ApiError */
export function toolCallsOf(calls: JsonValue | undefined): readonly JsonObject[] {
	return callsIn(calls).map(call => {
		const {id} = call;
		return {
			...withoutIndex(call),
			id: typeof id === 'string' && id !== '' ? id : newCallId(),
			type: 'function',
			function: {arguments: '{}', ...functionOf(call)},
		};
	});
}

function withoutIndex({index: _index, ...call}: JsonObject): JsonObject {
	return call;
}

const newCallId = () => `call_${randomUUID().replaceAll('-', '')}`;

/**
 * Assigns the index by which clients assemble parts of calls. A server's index is unreliable: some omit it, and some begin every call with the same one, as Ollama and
 * Google do.
 */
export function createToolCallDeltas(): (calls: JsonValue | undefined) => readonly JsonObject[] {
	/** Identifiers of calls, in the order in which they began. */
	const ids: string[] = [];
	/** The call currently meant by an index of the server. */
	const meant = new Map<number, number>();

	/** The call that a part continues; `undefined` when it begins another. */
	const callOf = ({at, id, isNamed}: CallPart): number | undefined => {
		const last = ids.length > 0 ? ids.length - 1 : undefined;
		const known = at === undefined ? undefined : meant.get(at);
		if (id === undefined) {
			return known ?? (isNamed ? undefined : last);
		}

		if (known === undefined || id === ids[known]) {
			return at === undefined ? indexOf(ids, id) : known;
		}

		// Some servers give every part of a call its own identifier: only the first part has the name.
		return indexOf(ids, id) ?? (isNamed ? undefined : known);
	};

	const begin = (id = newCallId()): number => {
		if (ids.length >= maxCalls) {
			throw tooManyCalls();
		}

		return ids.push(id) - 1;
	};

	return calls =>
		callsIn(calls).map(call => {
			const {index: given, id: named, type: _type, ...others} = call;
			const id = typeof named === 'string' && named !== '' ? named : undefined;
			const at = isCount(given) ? given : undefined;
			const called = functionOf(call);
			const isNamed = typeof called['name'] === 'string' && called['name'] !== '';
			const known = callOf({at, id, isNamed});
			const index = known ?? begin(id);
			if (at !== undefined && (meant.has(at) || meant.size < maxCalls)) {
				meant.set(at, index);
			}

			return {
				index,
				...others,
				...(known === undefined && {id: ids[index] ?? '', type: 'function'}),
				function: called,
			};
		});
}

type CallPart = {
	/** The server's index. */
	readonly at: number | undefined;
	readonly id: string | undefined;
	readonly isNamed: boolean;
};

const indexOf = (list: readonly string[], one: string): number | undefined => {
	const index = list.indexOf(one);
	return index === -1 ? undefined : index;
};

/** `arguments` must be a text; some servers send the value itself. */
function functionOf({function: called}: JsonObject): JsonObject {
	if (called === undefined || called === null) {
		return {};
	}

	if (!isJsonObject(called)) {
		throw garbled('a call of a tool names no function');
	}

	const {arguments: given} = called;
	return given === undefined || given === null || typeof given === 'string'
		? called
		: {...called, arguments: JSON.stringify(given)};
}

const tooManyCalls = () => garbled(`it calls more than ${maxCalls} tools`);

function callsIn(value: JsonValue | undefined): readonly JsonObject[] {
	if (value === undefined || value === null) {
		return [];
	}

	if (!Array.isArray(value) || !value.every(isJsonObject)) {
		throw garbled('"tool_calls" is no list of objects');
	}

	if (value.length > maxCalls) {
		throw tooManyCalls();
	}

	return value;
}

/** Usage counted by the server; `undefined` when there is none, or it is impossible. Its details may have any names, so `redact` is applied. */
export function countedUsage(usage: JsonValue | undefined, redact: Redact): ChatUsage | undefined {
	if (!isJsonObject(usage)) {
		return undefined;
	}

	const {prompt_tokens: input, completion_tokens: output} = usage;
	if (!isTokenCount(input) || !isTokenCount(output)) {
		return undefined;
	}

	const details = (name: string) => {
		const value = usage[name];
		return isJsonObject(value)
			? {
					[name]: Object.fromEntries(
						Object.entries(value).filter(
							([one, count]) => isTokenCount(count) && redact(one) === one,
						),
					),
				}
			: {};
	};
	const {total_tokens: total} = usage;
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: isTokenCount(total) ? total : input + output,
		...details('prompt_tokens_details'),
		...details('completion_tokens_details'),
	};
}

const isCount = (value: JsonValue | undefined): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0;
