import {type JsonValue, isJsonObject, parsedJson} from '../core/json.ts';
import {countOf} from '../core/names.ts';

const maxLines = 40;
const maxDepth = 6;
const maxValueLength = 200;
const maxExtractLength = 400;
const maxResultLength = 1000;
const maxToolLines = 8;
const maxJsonLength = 1024 * 1024;

export type ToolLine = {
	readonly name: string;
	/** Arguments as written; `{}` when there are none. */
	readonly input: string;
};

export type ToolOutcome = {
	readonly name: string;
	readonly failed: boolean;
	readonly text: string;
};

const cut = (text: string, length: number) =>
	text.length > length ? `${text.slice(0, length)}…` : text;

/** The JSON in a text: the whole text, or what is between the first and the last brace. */
function payloadIn(text: string): JsonValue | undefined {
	if (text.length > maxJsonLength) {
		return undefined;
	}

	const start = text.indexOf('{');
	const end = text.lastIndexOf('}');
	const payload =
		parsedJson(text) ?? (start < end ? parsedJson(text.slice(start, end + 1)) : undefined);
	return typeof payload === 'object' && payload !== null ? payload : undefined;
}

function* scalarsOf(
	value: JsonValue,
	path: string,
	depth: number,
): Generator<readonly [path: string, value: string]> {
	if (typeof value !== 'object' || value === null) {
		yield [path, cut(String(value).replaceAll(/\s+/g, ' '), maxValueLength)];
		return;
	}

	if (depth === maxDepth) {
		yield [path, '…'];
		return;
	}

	for (const [key, member] of Object.entries(value)) {
		yield* scalarsOf(member, path === '' ? key : `${path}.${key}`, depth + 1);
	}
}

function digestPayload(payload: JsonValue): string {
	const lines: string[] = [];
	for (const [path, value] of scalarsOf(payload, '', 0)) {
		if (lines.length === maxLines) {
			lines.push('- … more was left out');
			break;
		}

		lines.push(`- ${cut(path, maxValueLength)}: ${value}`);
	}

	const count = Object.keys(payload ?? {}).length;
	const size = isJsonObject(payload)
		? `an object with ${countOf(count, 'key')}`
		: `a list of ${count}`;
	return [`The message holds JSON, ${size}:`, ...lines].join('\n');
}

function digestText(text: string): string {
	const words = text.match(/\S+/g)?.length ?? 0;
	const extract = cut(text.replaceAll(/\s+/g, ' ').trim(), maxExtractLength);
	return `The message has ${countOf(words, 'word')}. It begins: ${extract}`;
}

/** A rule-based summary of a user message: the scalars of its JSON by path, otherwise its word count and beginning. */
export function digestMessage(text: string): string {
	const payload = payloadIn(text);
	return payload === undefined ? digestText(text) : digestPayload(payload);
}

/** A summary of a text that the gateway fetched for a run. */
export const digestFetched = (text: string): string =>
	`With it comes fetched text of ${countOf(text.length, 'character')}.`;

/** One line per tool call, with the beginning of its result. */
export const digestOutcomes = (outcomes: readonly ToolOutcome[]): string =>
	outcomes
		.map(({name, failed, text}) => {
			const verb = failed ? 'failed' : 'answered';
			return `Tool ${name} ${verb}: ${cut(text.replaceAll(/\s+/g, ' ').trim(), maxResultLength)}`;
		})
		.join('\n');

/** The lines `/tool <name> {json}` of a user message, at most 8; lines with anything other than a JSON object after the name are ignored. */
export function toolLinesIn(text: string): readonly ToolLine[] {
	const lines: ToolLine[] = [];
	for (const [, name, input = ''] of text.matchAll(
		/^\/tool[ \t]+([A-Za-z0-9_-]{1,64})[ \t]*(\{.*\})?[ \t]*\r?$/gm,
	)) {
		if (lines.length === maxToolLines) {
			break;
		}

		if (name !== undefined && (input === '' || isJsonObject(parsedJson(input)))) {
			lines.push({name, input: input || '{}'});
		}
	}

	return lines;
}
