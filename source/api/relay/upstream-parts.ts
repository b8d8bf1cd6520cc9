import {randomUUID} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {finishReasons, type ChatUsage, type FinishReason} from '../shapes/chat-shapes.ts';
import {garbled} from './upstream-failure.ts';

/** How other servers call what ends an answer; what nobody knows is an end like any other. */
const otherReasons: Readonly<Record<string, FinishReason>> = {
	max_tokens: 'length',
	model_length: 'length',
	tool_use: 'tool_calls',
	refusal: 'content_filter',
	safety: 'content_filter',
};

/** @throws ApiError for `error`, which is none */
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

/** More of them are nobody's who means it. */
const maxCalls = 1024;

/** What the assistant says, of a message or a delta: the text alone where it comes in parts, nothing that is empty, and not the role. @throws ApiError */
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

/** Most of what is ever said: a word. */
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

/** Whole calls of tools. @throws ApiError */
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

/** Gives parts of calls the index by which clients put them together, where a server leaves it out. */
export function createToolCallDeltas(): (calls: JsonValue | undefined) => readonly JsonObject[] {
	/** Identifiers by index. */
	const seen: string[] = [];

	return calls =>
		callsIn(calls).map(call => {
			const {index: given, id: named, type: _type, ...others} = call;
			const said = typeof named === 'string' && named !== '' ? named : undefined;
			const isNew = said !== undefined && !seen.includes(said);
			const index =
				typeof given === 'number' && Number.isInteger(given) && given >= 0
					? given
					: isNew || seen.length === 0
						? seen.length
						: said === undefined
							? seen.length - 1
							: seen.indexOf(said);
			const isFirst = seen[index] === undefined;
			const id = isFirst ? (said ?? newCallId()) : undefined;
			if (id !== undefined) {
				if (index > seen.length) {
					throw garbled('a call of a tool has an index that does not follow');
				}

				if (index >= maxCalls) {
					throw tooManyCalls();
				}

				seen[index] = id;
			}

			return {
				index,
				...others,
				...(id !== undefined && {id, type: 'function'}),
				function: functionOf(call),
			};
		});
}

/** `arguments` are a text; some servers send what it stands for. */
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

/** What a server counted; `undefined` where it did not. */
export function countedUsage(usage: JsonValue | undefined): ChatUsage | undefined {
	if (!isJsonObject(usage)) {
		return undefined;
	}

	const {prompt_tokens: input, completion_tokens: output} = usage;
	if (!isCount(input) || !isCount(output)) {
		return undefined;
	}

	const details = (name: string) => {
		const value = usage[name];
		return isJsonObject(value) ? {[name]: value} : {};
	};
	const {total_tokens: total} = usage;
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: isCount(total) ? total : input + output,
		...details('prompt_tokens_details'),
		...details('completion_tokens_details'),
	};
}

const isCount = (value: JsonValue | undefined): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0;
